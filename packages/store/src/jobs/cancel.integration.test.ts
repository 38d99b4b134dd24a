import { expect, it } from 'vitest';
import {
  audit,
  completion,
  expireLeases,
  failure,
  fileStore,
  leaseTasks,
  rowCounts,
  submitJob,
} from '../testing/index.ts';

const db = fileStore();

it('T9: a result for a cancelled job is refused, and says so', async () => {
  const jobId = await submitJob(db.store, { items: 2, shardSize: 1 });
  const [task] = await leaseTasks(db.store, 'ann');
  if (task === undefined) throw new Error('nothing to lease');
  await db.store.cancelJob(jobId);
  expect(await db.store.report('ann', [completion(task)])).toEqual([
    { outcome: 'refused', status: 'leased', code: 'job_cancelled' },
  ]);
  expect(await db.store.readJob(jobId)).toMatchObject({ state: 'cancelled', items: { ok: 0, open: 2 } });
  expect(await audit(db.url)).toEqual([]);
});

it('T9: outcomes that were there before the cancel stay', async () => {
  const jobId = await submitJob(db.store, { items: 2, shardSize: 1 });
  const [task] = await leaseTasks(db.store, 'ann');
  if (task === undefined) throw new Error('nothing to lease');
  await db.store.report('ann', [completion(task)]);
  await db.store.cancelJob(jobId);
  expect((await db.store.resultOf(jobId, 'item-0'))?.output).toBe('{"ok":true}');
  expect(await db.store.report('ann', [completion(task)])).toEqual([
    { outcome: 'duplicate', status: 'done' },
  ]);
});

it('T9: a claim leaves cancelled jobs out, also when their leases end or are handed back', async () => {
  const jobId = await submitJob(db.store, { items: 3, shardSize: 1 });
  const [handedBack, , lost] = await leaseTasks(db.store, 'ann', 2);
  await db.store.cancelJob(jobId);
  expect(lost).toBeUndefined();
  expect(await leaseTasks(db.store, 'bob', 10)).toEqual([]);
  if (handedBack === undefined) throw new Error('nothing to lease');
  expect(await db.store.release('ann', [handedBack])).toEqual([null]);
  await expireLeases(db.sql);
  await db.store.reclaim({ force: true });
  expect(await leaseTasks(db.store, 'bob', 10)).toEqual([]);
  expect(await db.sql`select from tasks where not cancelled`).toHaveLength(0);
});

it('T9: the holder of a lease in a cancelled job is told so when it renews', async () => {
  const jobId = await submitJob(db.store, { items: 1 });
  const [task] = await leaseTasks(db.store, 'ann');
  if (task === undefined) throw new Error('nothing to lease');
  expect(await db.store.renew('ann', [task])).toMatchObject([{ refusal: null }]);
  await db.store.cancelJob(jobId);
  expect(await db.store.renew('ann', [task])).toMatchObject([{ refusal: 'job_cancelled' }]);
});

it('T9: cancelling again, or a job that has ended, changes nothing', async () => {
  const jobId = await submitJob(db.store, { items: 2, shardSize: 1 });
  await db.store.cancelJob(jobId);
  const cancelledAt = (await db.store.readJob(jobId))?.cancelledAt;
  const counts = await rowCounts(db.sql);
  await db.store.cancelJob(jobId);
  expect((await db.store.readJob(jobId))?.cancelledAt).toEqual(cancelledAt);
  expect(await rowCounts(db.sql)).toEqual(counts);

  const ended = await submitJob(db.store, { items: 1 });
  const [task] = await leaseTasks(db.store, 'ann');
  if (task === undefined) throw new Error('nothing to lease');
  await db.store.report('ann', [completion(task)]);
  await db.store.cancelJob(ended);
  expect(await db.store.readJob(ended)).toMatchObject({ state: 'done', cancelledAt: null });
});

it('T9: a job whose end nobody has written down yet has ended all the same and is not cancelled', async () => {
  const jobId = await submitJob(db.store, { items: 1 });
  const [task] = await leaseTasks(db.store, 'ann');
  if (task === undefined) throw new Error('nothing to lease');
  await db.store.report('ann', [completion(task)]);
  await db.sql`update jobs set finished_at = null`; // as two last reports at once leave it
  await db.store.cancelJob(jobId);
  expect(await db.store.readJob(jobId)).toMatchObject({ state: 'done', cancelledAt: null });
});

it('T9: more tasks than one statement flags are all flagged', async () => {
  const jobId = await submitJob(db.store, { items: 12_000, shardSize: 1 });
  await leaseTasks(db.store, 'ann', 10);
  await db.store.cancelJob(jobId);
  expect(await db.sql`select count(*)::int as left from tasks where not cancelled`).toEqual([{ left: 0 }]);
});

it('T10: an error reported in a cancelled job frees the lease and starts nothing anew', async () => {
  const jobId = await submitJob(db.store, { items: 1 });
  const [task] = await leaseTasks(db.store, 'ann');
  if (task === undefined) throw new Error('nothing to lease');
  await db.store.cancelJob(jobId);
  expect(await db.store.report('ann', [failure(task)])).toEqual([{ outcome: 'accepted', status: 'pending' }]);
  expect(await leaseTasks(db.store, 'bob')).toEqual([]);
  expect(await audit(db.url)).toEqual([]);
});
