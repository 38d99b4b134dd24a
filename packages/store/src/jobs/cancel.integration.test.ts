import { MAX_ATTEMPTS } from '@macbatch/core';
import { expect, it } from 'vitest';
import {
  audit,
  completion,
  failure,
  leaseOne,
  leaseTasks,
  makeLeasesPass,
  rowCounts,
  sharedStore,
  submitJob,
} from '../testing/index.ts';

const db = sharedStore();

it('T9: a result for a cancelled job is refused with job_cancelled', async () => {
  const jobId = await submitJob(db.store, { items: 2, shardSize: 1 });
  const task = await leaseOne(db.store, 'ann');
  await db.store.cancelJob(jobId);
  expect(await db.store.report('ann', [completion(task)])).toEqual([
    { outcome: 'refused', status: 'leased', code: 'job_cancelled' },
  ]);
  expect(await db.store.readJob(jobId)).toMatchObject({ state: 'cancelled', items: { ok: 0, open: 2 } });
  expect(await audit(db.url)).toEqual([]);
});

it('T9: a cancel keeps outcomes that were recorded before', async () => {
  const jobId = await submitJob(db.store, { items: 2, shardSize: 1 });
  const task = await leaseOne(db.store, 'ann');
  await db.store.report('ann', [completion(task)]);
  await db.store.cancelJob(jobId);
  expect((await db.store.resultOf(jobId, 'item-0'))?.output).toBe('{"ok":true}');
  expect(await db.store.report('ann', [completion(task)])).toEqual([
    { outcome: 'duplicate', status: 'done' },
  ]);
});

it('T9: tasks of a cancelled job are never leased, even after they are released or expire', async () => {
  const jobId = await submitJob(db.store, { items: 3, shardSize: 1 });
  const [released, , lost] = await leaseTasks(db.store, 'ann', 2);
  await db.store.cancelJob(jobId);
  expect(lost).toBeUndefined();
  expect(await leaseTasks(db.store, 'bob', 10)).toEqual([]);
  if (released === undefined) throw new Error('nothing to lease');
  expect(await db.store.release('ann', [released])).toEqual([null]);
  await makeLeasesPass(db.sql);
  await db.store.reclaim({ force: true });
  expect(await leaseTasks(db.store, 'bob', 10)).toEqual([]);
  expect(await db.sql`select from tasks where not cancelled`).toHaveLength(0);
});

it('T9: a renewal in a cancelled job is refused with job_cancelled', async () => {
  const jobId = await submitJob(db.store, { items: 1 });
  const task = await leaseOne(db.store, 'ann');
  expect(await db.store.renew('ann', 'boot-of-ann', [task])).toMatchObject([{ refusal: null }]);
  await db.store.cancelJob(jobId);
  expect(await db.store.renew('ann', 'boot-of-ann', [task])).toMatchObject([{ refusal: 'job_cancelled' }]);
});

it('T9: a cancel changes nothing when the job is cancelled already or has ended', async () => {
  const jobId = await submitJob(db.store, { items: 2, shardSize: 1 });
  await db.store.cancelJob(jobId);
  const cancelledAt = (await db.store.readJob(jobId))?.cancelledAt;
  const counts = await rowCounts(db.sql);
  await db.store.cancelJob(jobId);
  expect((await db.store.readJob(jobId))?.cancelledAt).toEqual(cancelledAt);
  expect(await rowCounts(db.sql)).toEqual(counts);

  const ended = await submitJob(db.store, { items: 1 });
  const task = await leaseOne(db.store, 'ann');
  await db.store.report('ann', [completion(task)]);
  await db.store.cancelJob(ended);
  expect(await db.store.readJob(ended)).toMatchObject({ state: 'done', cancelledAt: null });
});

it('T9: a cancel changes nothing when the job has ended without a recorded end', async () => {
  const jobId = await submitJob(db.store, { items: 1 });
  const task = await leaseOne(db.store, 'ann');
  await db.store.report('ann', [completion(task)]);
  await db.sql`update jobs set finished_at = null`; // as after two concurrent last reports
  await db.store.cancelJob(jobId);
  expect(await db.store.readJob(jobId)).toMatchObject({ state: 'done', cancelledAt: null });
});

it('T9: a cancel marks all tasks, even more than one statement marks', async () => {
  const jobId = await submitJob(db.store, { items: 12_000, shardSize: 1 });
  await leaseTasks(db.store, 'ann', 10);
  await db.store.cancelJob(jobId);
  expect(await db.sql`select count(*)::int as left from tasks where not cancelled`).toEqual([{ left: 0 }]);
});

it('T10: an error in a cancelled job ends the lease, and the task is not leased again', async () => {
  const jobId = await submitJob(db.store, { items: 1 });
  const task = await leaseOne(db.store, 'ann');
  await db.store.cancelJob(jobId);
  expect(await db.store.report('ann', [failure(task)])).toEqual([{ outcome: 'accepted', status: 'pending' }]);
  expect(await leaseTasks(db.store, 'bob')).toEqual([]);
  expect(await audit(db.url)).toEqual([]);
});

it('T9: a cancel marks pending, leased and failed tasks, and changes nothing else of them', async () => {
  const jobId = await submitJob(db.store, { items: 4, shardSize: 1 });
  for (let n = 0; n < MAX_ATTEMPTS; n += 1)
    await db.store.report('ann', [failure(await leaseOne(db.store, 'ann'))]);
  await db.store.report('ann', [completion(await leaseOne(db.store, 'ann'))]);
  await leaseOne(db.store, 'ann');
  const before = await db.sql<{ status: string; cancelled: boolean }[]>`select * from tasks order by id`;
  expect(before.map(({ status }) => status)).toEqual(['failed', 'done', 'leased', 'pending']);
  await db.store.cancelJob(jobId);
  const after = await db.sql`select * from tasks order by id`;
  expect([...after]).toEqual(before.map((task) => ({ ...task, cancelled: task.status !== 'done' })));
});
