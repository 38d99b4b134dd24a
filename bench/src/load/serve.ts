import { getRequestListener } from '@hono/node-server';
import { createApp } from '@macbatch/api';
import { createStore } from '@macbatch/store';
import { serveParent } from './serve-parent.ts';

/** A program that runs a control plane. Its argument is the URL of the database. */
const [url = ''] = process.argv.slice(2);
const app = createApp({
  store: createStore({ url }),
  open: true,
  limits: { maxJsonBytes: 1024 ** 3 },
  onError: (error) => process.stderr.write(`${error.stack ?? error.message}\n`),
});
await serveParent(getRequestListener(app.fetch));
