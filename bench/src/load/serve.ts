import { getRequestListener } from '@hono/node-server';
import { createApp, createBatchRunner } from '@macbatch/api';
import { limitYoungGeneration } from '@macbatch/process';
import { createStore } from '@macbatch/store';
import { serveParent } from './serve-parent.ts';

/** A program that runs a control plane. Its argument is the URL of the database. */
const [url = ''] = process.argv.slice(2);
limitYoungGeneration(32); // as the control plane does
const store = createStore({ url });
const onError = (error: Error) => process.stderr.write(`${error.stack ?? error.message}\n`);
const batches = createBatchRunner({ store, limits: { maxRequests: 10_000_000 }, onError });
const app = createApp({
  store,
  open: true,
  limits: { maxJsonBytes: 1024 ** 3, maxFileBytes: 16 * 1024 ** 3 },
  onError,
  onBatchWork: batches.wake,
});
// Until the parent ends this process.
void batches.run(new AbortController().signal);
await serveParent(getRequestListener(app.fetch));
