import { once } from 'node:events';
import { createServer } from 'node:http';
import postgres from 'postgres';

/** What a download is measured against: a server that reads all results and answers one JSON body. */
const [url = ''] = process.argv.slice(2);
const sql = postgres(url, { max: 1, onnotice: () => undefined });
const server = createServer(async (_request, response) => {
  const rows = await sql`
    select items.item_id as id, results.output, results.attempt, results.recorded_at
    from results join items using (job_id, seq) order by results.job_id, results.seq`;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ results: rows }));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
if (address === null || typeof address === 'string') throw new Error('the server has no port');
process.send?.({ port: address.port });
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuSeconds: (user + system) / 1e6, peakMb: process.resourceUsage().maxRSS / 1024 });
});
process.on('disconnect', () => process.exit());
