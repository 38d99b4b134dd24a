import { once } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { createApp } from '@macbatch/api';
import { createStore } from '@macbatch/store';

/**
 * The control plane in a process of its own with a fast clock: the database's URL is its argument, the parent is
 * told where it listens. It counts the requests of workers by their paths, and answers the counts to who asks for `COUNT_PATH`.
 */
const COUNT_PATH = '/replay/requests';

const [url = '', factorText = '1'] = process.argv.slice(2);
const factor = Number(factorText);
const store = createStore({
  url,
  // How long Postgres may take is a matter of this machine, not of the replayed one.
  statementMs: 30_000 * factor,
  onNotificationsLost: () =>
    process.stderr.write('replay: notifications take too long, so waiting workers only look\n'),
});
const app = createApp({
  store,
  open: true,
  limits: { bodyIdleMs: 30_000 * factor },
  onError: (error) => process.stderr.write(`${error.stack ?? error.message}\n`),
});
const counts: Record<string, number> = {};
const server = createServer(
  getRequestListener((request, env) => {
    const path = new URL(request.url).pathname;
    if (path === COUNT_PATH) return Response.json(counts);
    const kind = /^\/v1\/(?:tasks|workers)\/(.*)$/.exec(path)?.[1];
    if (kind !== undefined) counts[kind] = (counts[kind] ?? 0) + 1;
    return app.fetch(request, env);
  }),
);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
if (address === null || typeof address === 'string') throw new Error('the server has no port');
process.send?.({ port: address.port });
process.on('disconnect', () => process.exit());
