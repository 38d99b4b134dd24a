import { expect, it } from 'vitest';
import {
  audit,
  completion,
  failure,
  itemError,
  leaseOne,
  leaseTasks,
  sharedStore,
  submitJob,
  success,
  waitForBlockedSession,
} from '../testing/index.ts';
import { retryTasks } from './retry-job.ts';

const db = sharedStore();

/** Leases and fails tasks until nothing is pending. */
async function failAll(): Promise<void> {
  for (let tasks = await leaseTasks(db.store, 'ann', 10); tasks.length > 0; ) {
    await db.store.report(
      'ann',
      tasks.map((task) => failure(task)),
    );
    tasks = await leaseTasks(db.store, 'ann', 10);
  }
}

it('T13: a retry sends failed tasks back with all attempts, and continues their lease numbers', async () => {
  const jobId = await submitJob(db.store, { items: 4, shardSize: 2 });
  await failAll();
  expect((await db.store.readJob(jobId))?.finishedAt).not.toBeNull();
  expect(await db.store.retryJob(jobId, { items: false })).toEqual({ tasks: 2, items: 0 });
  expect(await db.store.readJob(jobId)).toMatchObject({
    state: 'running',
    finishedAt: null,
    tasks: { pending: 2 },
  });
  const [task, other] = await leaseTasks(db.store, 'bob', 2);
  if (task === undefined || other === undefined) throw new Error('There was nothing to lease.');
  expect([task.attempt, other.attempt]).toEqual([4, 4]);
  expect(await db.store.report('bob', [completion(task), failure(other)])).toEqual([
    { outcome: 'accepted', status: 'done' },
    { outcome: 'accepted', status: 'pending' },
  ]);
  await failAll();
  expect(await db.store.readJob(jobId)).toMatchObject({ state: 'failed', leasesGranted: 3 + 3 + 2 + 2 });
  expect(await audit(db.url)).toEqual([]);
});

it('T13: a retry runs items with errors again and keeps the other outcomes of their task', async () => {
  const jobId = await submitJob(db.store, { items: 3 });
  const task = await leaseOne(db.store, 'ann');
  const outcomes = [success('item-0', '"first"'), itemError('item-1'), itemError('item-2')];
  await db.store.report('ann', [{ ...completion(task), outcomes }]);
  expect(await db.store.retryJob(jobId, { items: false })).toEqual({ tasks: 0, items: 0 });
  expect(await db.store.retryJob(jobId, { items: true })).toEqual({ tasks: 1, items: 2 });
  const again = await leaseOne(db.store, 'bob');
  expect(again.items.map(({ itemId }) => itemId)).toEqual(['item-1', 'item-2']);
  await db.store.report('bob', [completion(again, '"second"')]);
  expect(await db.store.readJob(jobId)).toMatchObject({ state: 'done', items: { ok: 3, error: 0 } });
  expect((await db.store.resultOf(jobId, 'item-0'))?.output).toBe('"first"');
  expect(await audit(db.url)).toEqual([]);
});

it('T13: the end of a job is not recorded when its tasks are sent back at the same time', async () => {
  const jobId = await submitJob(db.store, { items: 1 });
  await failAll();
  await db.sql`update jobs set finished_at = null where id = ${jobId}`;
  const retrying = await db.sql.reserve();
  await retrying`begin`;
  await retryTasks.run(retrying, {
    job: jobId,
    items: false,
    seqs: null,
    tasks: null,
  });
  const closing = db.store.readJob(jobId); // sees the failed task, and tries to record the end
  await waitForBlockedSession(db.sql);
  await retrying`commit`;
  retrying.release();
  await closing;
  expect((await leaseTasks(db.store, 'bob')).length).toBe(1);
});

it('T13: a retry changes no task of a cancelled job', async () => {
  const jobId = await submitJob(db.store, { items: 4, shardSize: 2 });
  const lost = await leaseOne(db.store, 'ann');
  await db.store.report('ann', [failure(lost)]);
  await db.sql`update tasks set status = 'failed', error = '{}' where id = ${lost.taskId}`;
  await db.store.cancelJob(jobId);
  expect(await db.store.retryJob(jobId, { items: true })).toEqual({ tasks: 0, items: 0 });
});

it('I4: the outcomes of a report that waited for a retry are counted', async () => {
  const jobId = await submitJob(db.store, { items: 2 });
  const task = await leaseOne(db.store, 'ann');
  const whole = { ...completion(task), outcomes: [success('item-0'), itemError('item-1')] };
  await db.store.report('ann', [whole]);
  const retrying = await db.sql.reserve();
  await retrying`begin`;
  await retryTasks.run(retrying, { job: jobId, items: true, seqs: null, tasks: null });
  // Its snapshot has the task as done, and the locked row is pending.
  const again = db.store.report('ann', [completion(task)]);
  await waitForBlockedSession(db.sql);
  await retrying`commit`;
  retrying.release();
  expect(await again).toEqual([{ outcome: 'accepted', status: 'done' }]);
  expect(await audit(db.url)).toEqual([]);
});
