import { expect, it } from 'vitest';
import { statement } from '../database/statement.ts';
import { retry } from './retry.ts';

const db = fileStore();

import {
  audit,
  completion,
  type FileStore,
  failure,
  fileStore,
  itemError,
  leaseTasks,
  submitJob,
  success,
} from '../testing/index.ts';

/** Leases and fails until nothing is pending. */
async function failAll(db: FileStore): Promise<void> {
  for (let tasks = await leaseTasks(db.store, 'ann', 10); tasks.length > 0; ) {
    await db.store.report(
      'ann',
      tasks.map((task) => failure(task)),
    );
    tasks = await leaseTasks(db.store, 'ann', 10);
  }
}

it('T13: failed tasks go back to pending, their attempts count anew and the lease number goes on', async () => {
  const jobId = await submitJob(db.store, { items: 4, shardSize: 2 });
  await failAll(db);
  expect((await db.store.readJob(jobId))?.finishedAt).not.toBeNull();
  expect(await db.store.retryJob(jobId, { items: false })).toEqual({ tasks: 2, items: 0 });
  expect(await db.store.readJob(jobId)).toMatchObject({
    state: 'running',
    finishedAt: null,
    tasks: { pending: 2 },
  });
  const [task, other] = await leaseTasks(db.store, 'bob', 2);
  if (task === undefined || other === undefined) throw new Error('nothing to lease');
  expect([task.attempt, other.attempt]).toEqual([4, 4]);
  expect(await db.store.report('bob', [completion(task), failure(other)])).toEqual([
    { outcome: 'accepted', status: 'done' },
    { outcome: 'accepted', status: 'pending' },
  ]);
  await failAll(db);
  expect(await db.store.readJob(jobId)).toMatchObject({ state: 'failed', leasesGranted: 3 + 3 + 2 + 2 });
  expect(await audit(db.url)).toEqual([]);
});

it('T13: items that ended in an error run again, and their neighbours keep their outcomes', async () => {
  const jobId = await submitJob(db.store, { items: 3 });
  const [task] = await leaseTasks(db.store, 'ann');
  if (task === undefined) throw new Error('nothing to lease');
  const outcomes = [success('item-0', '"first"'), itemError('item-1'), itemError('item-2')];
  await db.store.report('ann', [{ ...completion(task), outcomes }]);
  expect(await db.store.retryJob(jobId, { items: false })).toEqual({ tasks: 0, items: 0 });
  expect(await db.store.retryJob(jobId, { items: true })).toEqual({ tasks: 1, items: 2 });
  const [again] = await leaseTasks(db.store, 'bob');
  if (again === undefined) throw new Error('nothing to lease');
  expect(again.items.map(({ itemId }) => itemId)).toEqual(['item-1', 'item-2']);
  await db.store.report('bob', [completion(again, '"second"')]);
  expect(await db.store.readJob(jobId)).toMatchObject({ state: 'done', items: { ok: 3, error: 0 } });
  expect((await db.store.resultOf(jobId, 'item-0'))?.output).toBe('"first"');
  expect(await audit(db.url)).toEqual([]);
});

it('T13: who ends the job and who sends it back take turns at its row, so the count is never an old one', async () => {
  const jobId = await submitJob(db.store, { items: 1 });
  await failAll(db);
  await db.sql`update jobs set finished_at = null where id = ${jobId}`;
  const retrying = await db.sql.reserve();
  await retrying`begin`;
  await statement<{ job: string; items: boolean }, unknown>(retry).run(retrying, {
    job: jobId,
    items: false,
  });
  const closing = db.store.readJob(jobId); // sees the failed task, and wants to write down the end
  for (;;) {
    const waiting =
      await db.sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    if (waiting.length > 0) break;
  }
  await retrying`commit`;
  retrying.release();
  await closing;
  expect((await leaseTasks(db.store, 'bob')).length).toBe(1);
});

it('T13: nothing of a cancelled job is sent back', async () => {
  const jobId = await submitJob(db.store, { items: 4, shardSize: 2 });
  const [lost] = await leaseTasks(db.store, 'ann', 1);
  if (lost === undefined) throw new Error('nothing to lease');
  await db.store.report('ann', [failure(lost)]);
  await db.sql`update tasks set status = 'failed', error = '{}' where id = ${lost.taskId}`;
  await db.store.cancelJob(jobId);
  expect(await db.store.retryJob(jobId, { items: true })).toEqual({ tasks: 0, items: 0 });
});

it('I4: a late report that waited for a retry counts what it records', async () => {
  const jobId = await submitJob(db.store, { items: 2 });
  const [task] = await leaseTasks(db.store, 'ann');
  if (task === undefined) throw new Error('nothing to lease');
  const whole = { ...completion(task), outcomes: [success('item-0'), itemError('item-1')] };
  await db.store.report('ann', [whole]);
  const retrying = await db.sql.reserve();
  await retrying`begin`;
  await statement<{ job: string; items: boolean }, unknown>(retry).run(retrying, { job: jobId, items: true });
  const again = db.store.report('ann', [whole]); // its snapshot has the task done, the row it gets is pending
  for (;;) {
    const waiting =
      await db.sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    if (waiting.length > 0) break;
  }
  await retrying`commit`;
  retrying.release();
  expect(await again).toEqual([{ outcome: 'accepted', status: 'done' }]);
  expect(await audit(db.url)).toEqual([]);
});
