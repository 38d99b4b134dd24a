import { expect, test } from 'vitest';
import { completion, freshStore, leaseTasks, submitJob } from './testing/index.ts';

test('I1: a job ends with one outcome for each item', async () => {
  await using fresh = await freshStore();
  const jobId = await submitJob(fresh.store, { items: 25 });
  for (;;) {
    const tasks = await leaseTasks(fresh.store, 'worker-1', 2);
    if (tasks.length === 0) break;
    await fresh.store.report(
      'worker-1',
      tasks.map((task) => completion(task)),
    );
  }
  const job = await fresh.store.readJob(jobId);
  expect(job?.state).toBe('done');
  expect(job?.items).toEqual({ total: 25, ok: 25, error: 0, failed: 0, open: 0 });
});
