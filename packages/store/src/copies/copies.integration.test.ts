import { MAX_EXPIRIES_FOR_COPIES } from '@macbatch/core';
import { describe, expect, it } from 'vitest';
import { createStore } from '../create-store.ts';
import type { LeasedTask } from '../tasks/leased-tasks.ts';
import { copyStore, idsOf, item } from '../testing/copy-store.ts';
import { leaseTasks, NOOP_OFFER, submitJob } from '../testing/index.ts';

const { db, monotonicMs, lease, report, taskRow, leasedToAnn, copyFor } = copyStore();

describe('copies for a worker that finds nothing pending', () => {
  it('copies items from the end of the holder’s task, in reverse order, with the attempt of the holder’s lease', async () => {
    const { task } = await leasedToAnn(10);
    const copy = await copyFor('bob');
    expect(copy).toMatchObject({ taskId: task.taskId, attempt: task.attempt, copy: true });
    expect(idsOf([copy])).toEqual([9, 8, 7, 6, 5].map(item));
    expect(copy.items[0]?.payload).toBe('{"n":9}');
    expect(await taskRow(task)).toEqual({
      status: 'leased',
      attempts: 1,
      expiries: 0,
      assigned_worker: 'ann',
    });
  });

  it('leases pending tasks before it copies', async () => {
    await submitJob(db.store, { items: 2, shardSize: 1 });
    await leaseTasks(db.store, 'ann');
    expect(await lease('bob')).toMatchObject([{ copy: false, attempt: 1 }]);
  });

  it('copies nothing when copies are turned off in the worker or in the store', async () => {
    await leasedToAnn(10);
    expect(await lease('bob', { acceptsCopies: false })).toEqual([]);
    const store = createStore({ url: db.url, monotonicMs, copies: false });
    expect(await lease('bob', {}, store)).toEqual([]);
    await store.close();
    expect(await lease('bob')).toHaveLength(1);
  });

  it('copies nothing while the worker holds a lease or a copy', async () => {
    await submitJob(db.store, { items: 1, shardSize: 1 });
    await leaseTasks(db.store, 'bob');
    await leasedToAnn(10);
    expect(await lease('bob')).toEqual([]);
    await copyFor('cem');
    expect(await lease('cem')).toEqual([]);
  });

  it('gives the next copy once every item of the previous copy has an outcome from any worker', async () => {
    const { task } = await leasedToAnn(10);
    const copy = await copyFor('bob');
    await report('bob', copy, 9, 8, 7, 6);
    expect(await lease('bob')).toEqual([]);
    await report('ann', task, 5);
    expect(idsOf(await lease('bob'))).toEqual([4, 3].map(item));
  });

  it('omits items that have an outcome', async () => {
    const { task } = await leasedToAnn(6);
    await report('ann', task, 5, 3);
    expect(idsOf(await lease('bob'))).toEqual([4, 2].map(item));
  });

  it('omits cancelled jobs', async () => {
    const { id } = await leasedToAnn(10);
    await db.store.cancelJob(id);
    expect(await lease('bob')).toEqual([]);
  });

  it('copies as many items as let both workers finish together, from several tasks, most recently leased first', async () => {
    await submitJob(db.store, { items: 8, shardSize: 2 });
    await leaseTasks(db.store, 'ann', 4);
    const copies = await lease('bob');
    expect(idsOf(copies)).toEqual([7, 6, 5, 4].map(item));
    expect(new Set(copies.map(({ taskId }) => taskId)).size).toBe(2);
  });
});

it('tries the holders one after another for a waiting worker, even if most have nothing to copy', async () => {
  await submitJob(db.store, { items: 6, shardSize: 1 });
  for (let n = 0; n < 6; n += 1) await leaseTasks(db.store, `holder-${n}`);
  await db.sql`update job_tallies set last_at = now() - interval '1 hour'`; // makes all holders overdue
  await db.sql`update tasks set expiries = ${MAX_EXPIRIES_FOR_COPIES} where id < 6`;
  let now = 0;
  const store = createStore({ url: db.url, monotonicMs: () => now });
  const copied: LeasedTask[] = [];
  for (; now < 3000; now += 1000) copied.push(...(await lease('bob', { repeated: true }, store)));
  await store.close();
  expect(copied).toMatchObject([{ taskId: '6', copy: true }]);
});

it('copies from a holder that overstates its rate and reports no new outcome', async () => {
  const { task } = await leasedToAnn(4);
  await db.store.heartbeat({
    worker: 'ann',
    boot: 'boot-of-ann',
    hostname: 'ann',
    jobTypes: ['noop'],
    models: ['noop'],
    concurrency: 1,
    leaseLimit: 0,
    rates: [{ ...NOOP_OFFER, itemsPerSecond: 100_000 }],
    offline: false,
    formerBoots: null,
  });
  expect(await lease('bob', { rate: 1 })).toEqual([]);
  await report('ann', task, 0);
  await db.sql`update job_tallies set last_at = now() - interval '1 hour'`;
  expect(await report('ann', task)).toMatchObject([{ outcome: 'accepted' }]);
  expect(await report('ann', task, 0)).toMatchObject([{ outcome: 'accepted' }]);
  expect(idsOf(await lease('bob', { rate: 1 }))).toEqual([3, 2, 1].map(item));
});

describe('one copy of an item', () => {
  it('never copies an item that has an open copy', async () => {
    await leasedToAnn(10);
    expect(idsOf(await lease('bob'))).toEqual([9, 8, 7, 6, 5].map(item));
    expect(idsOf(await lease('cem'))).toEqual([4, 3, 2, 1, 0].map(item));
    expect(await lease('dan')).toEqual([]);
  });

  it('never copies an item twice when twelve workers ask three control planes concurrently', async () => {
    await submitJob(db.store, { items: 60, shardSize: 5 });
    await leaseTasks(db.store, 'ann', 12);
    const stores = Array.from({ length: 3 }, () => createStore({ url: db.url }));
    const names = Array.from({ length: 12 }, (_, n) => `worker-${n}`);
    const answers = await Promise.all(
      names.map((name, n) => lease(name, { slots: 10 }, stores[n % stores.length] ?? db.store)),
    );
    await Promise.all(stores.map((store) => store.close()));
    const copied = answers.flatMap(idsOf);
    expect(copied.length).toBeGreaterThanOrEqual(10);
    expect(new Set(copied).size).toBe(copied.length);
  });
});
