import { getRequestListener } from '@hono/node-server';
import { createApp } from '@macbatch/api';
import { serveParent } from '@macbatch/bench';
import { createStore } from '@macbatch/store';

/**
 * A program that runs a control plane with a fast clock. Its arguments are the URL of the database and the factor of the
 * clock. It counts the requests of workers by path, and serves the counts at `COUNT_PATH`.
 */
const COUNT_PATH = '/replay/requests';

const [url = '', factorText = '1'] = process.argv.slice(2);
const factor = Number(factorText);
const store = createStore({
  url,
  // Postgres runs in real time.
  statementMs: 30_000 * factor,
  onNotificationsLost: () =>
    process.stderr.write('replay: notifications take too long, so waiting workers poll\n'),
});
const app = createApp({
  store,
  open: true,
  limits: { bodyIdleMs: 30_000 * factor },
  onError: (error) => process.stderr.write(`${error.stack ?? error.message}\n`),
});
const counts: Record<string, number> = {};
await serveParent(
  getRequestListener((request, env) => {
    const path = new URL(request.url).pathname;
    if (path === COUNT_PATH) return Response.json(counts);
    const kind = /^\/v1\/(?:tasks|workers)\/(.*)$/.exec(path)?.[1];
    if (kind !== undefined) counts[kind] = (counts[kind] ?? 0) + 1;
    return app.fetch(request, env);
  }),
);
