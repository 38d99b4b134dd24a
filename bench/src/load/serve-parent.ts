import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

/**
 * Serves HTTP on a free port for the parent process: sends it the port, answers each of its messages with the resources
 * used so far, and ends with it.
 */
export async function serveParent(listener: RequestListener): Promise<void> {
  const server = createServer(listener);
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
}
