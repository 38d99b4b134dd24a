import { setImmediate } from 'node:timers/promises';
import type { FileContent } from '@macbatch/store';
import { until } from '@macbatch/testing';
import { expect, it, onTestFinished } from 'vitest';
import { type BatchReply, batchApp, requestLine } from '../testing/batch-app.ts';
import { fileApp } from '../testing/file-app.ts';
import { createBatchRunner } from './batch-runner.ts';

/** A store of files that never end. */
const endless: FileContent = {
  storage: 'endless',
  writer: () => ({ write: async () => undefined, end: async () => undefined, abort: async () => undefined }),
  async *read() {
    for (let n = 0; ; n += 1) {
      await setImmediate();
      yield Buffer.from(`${requestLine(`r${n}`)}\n`);
    }
  },
  delete: async () => undefined,
};

const control = fileApp({}, { fileContent: endless });
const { create, cancel, read } = batchApp({}, control);

it('A4: cancels a batch while its file is being read', async () => {
  const failures: Error[] = [];
  const runner = createBatchRunner({
    store: control.db.store,
    limits: { maxRequests: Number.MAX_SAFE_INTEGER },
    claimSeconds: 1,
    onError: (error) => failures.push(error),
  });
  const stop = new AbortController();
  const running = runner.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
    expect(failures).toEqual([]);
  });
  const { id } = await create(requestLine('a'));
  const claims = async () => (await control.db.sql<{ claim: string }[]>`select claim from batches`)[0]?.claim;
  await until(async () => (await claims()) === '1');
  expect((await read(id)).status).toBe('validating');
  await cancel(id);
  const ended = await until(async () => {
    const batch: BatchReply = await read(id);
    return batch.status === 'cancelled' && batch;
  });
  expect(ended.request_counts).toEqual({ total: 0, completed: 0, failed: 0 });
});
