import postgres from 'postgres';
import { serveParent } from './serve-parent.ts';

/** A program to compare downloads with: reads all results and sends them as one JSON body. */
const [url = ''] = process.argv.slice(2);
const sql = postgres(url, { max: 1, onnotice: () => undefined });
await serveParent(async (_request, response) => {
  const rows = await sql`
    select items.item_id as id, results.output, results.attempt, results.recorded_at
    from results join items using (job_id, seq) order by results.job_id, results.seq`;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ results: rows }));
});
