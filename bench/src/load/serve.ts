import { once } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { createApp } from '@macbatch/api';
import { createStore } from '@macbatch/store';

/** The control plane in a process of its own: the database's URL is its argument, the parent is told where it listens. */
const [url = ''] = process.argv.slice(2);
const store = createStore({ url });
const app = createApp({
  store,
  open: true,
  limits: { maxJsonBytes: 1024 ** 3 },
  onError: (error) => process.stderr.write(`${error.stack ?? error.message}\n`),
});
const server = createServer(getRequestListener(app.fetch));
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
