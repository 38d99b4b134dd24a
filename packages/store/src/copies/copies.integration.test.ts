import { MAX_EXPIRIES_FOR_COPIES } from '@macbatch/core';
import { describe, expect, it } from 'vitest';
import type { LeasedTask } from '../leasing/lease.ts';
import { createStore } from '../store.ts';
import { copyStore, idsOf, item } from '../testing/copy-store.ts';
import { leaseTasks, NOOP, submitJob } from '../testing/index.ts';

const { db, monotonicMs, ask, bring, countsOf, heldByAnn, copyFor } = copyStore();

describe('E: a worker that finds nothing pending', () => {
  it('is given the last items of a holder, last first, under the number of its lease', async () => {
    const { task } = await heldByAnn(10);
    const copy = await copyFor('bob');
    expect(copy).toMatchObject({ taskId: task.taskId, attempt: task.attempt, copy: true });
    expect(idsOf([copy])).toEqual([9, 8, 7, 6, 5].map(item));
    expect(copy.items[0]?.payload).toBe('{"n":9}');
    expect(await countsOf(task)).toEqual({
      status: 'leased',
      attempts: 1,
      expiries: 0,
      assigned_worker: 'ann',
    });
  });

  it('is given what is pending first', async () => {
    await submitJob(db.store, { items: 2, shardSize: 1 });
    await leaseTasks(db.store, 'ann');
    expect(await ask('bob')).toMatchObject([{ copy: false, attempt: 1 }]);
  });

  it('is given none without asking for one, nor where the setting is off', async () => {
    await heldByAnn(10);
    expect(await ask('bob', { copies: false })).toEqual([]);
    const store = createStore({ url: db.url, monotonicMs, copies: false });
    expect(await ask('bob', {}, store)).toEqual([]);
    await store.close();
    expect(await ask('bob')).toHaveLength(1);
  });

  it('is given none while it holds anything itself, a lease or a copy', async () => {
    await submitJob(db.store, { items: 1, shardSize: 1 });
    await leaseTasks(db.store, 'bob');
    await heldByAnn(10);
    expect(await ask('bob')).toEqual([]);
    await copyFor('cem');
    expect(await ask('cem')).toEqual([]);
  });

  it('is given the next copy once the last one is finished, whoever finished it', async () => {
    const { task } = await heldByAnn(10);
    const copy = await copyFor('bob');
    await bring('bob', copy, 9, 8, 7, 6);
    expect(await ask('bob')).toEqual([]);
    await bring('ann', task, 5);
    expect(idsOf(await ask('bob'))).toEqual([4, 3].map(item));
  });

  it('is given nothing of items that have an outcome', async () => {
    const { task } = await heldByAnn(6);
    await bring('ann', task, 5, 3);
    expect(idsOf(await ask('bob'))).toEqual([4, 2].map(item));
  });

  it('is given nothing of a cancelled job', async () => {
    const { id } = await heldByAnn(10);
    await db.store.cancelJob(id);
    expect(await ask('bob')).toEqual([]);
  });

  it('is given as much as lets both end together, over several tasks, from the last one back', async () => {
    await submitJob(db.store, { items: 8, shardSize: 2 });
    await leaseTasks(db.store, 'ann', 4);
    const copies = await ask('bob');
    expect(idsOf(copies)).toEqual([7, 6, 5, 4].map(item));
    expect(new Set(copies.map(({ taskId }) => taskId)).size).toBe(2);
  });
});

it('E: a worker that waits comes to every holder in turn, however many have nothing that may be copied', async () => {
  await submitJob(db.store, { items: 6, shardSize: 1 });
  for (let n = 0; n < 6; n += 1) await leaseTasks(db.store, `holder-${n}`);
  await db.sql`update job_tallies set last_at = now() - interval '1 hour'`; // all are overdue
  await db.sql`update tasks set expiries = ${MAX_EXPIRIES_FOR_COPIES} where id < 6`;
  let now = 0;
  const store = createStore({ url: db.url, monotonicMs: () => now });
  const given: LeasedTask[] = [];
  for (; now < 3000; now += 1000) given.push(...(await ask('bob', { again: true }, store)));
  await store.close();
  expect(given).toMatchObject([{ taskId: '6', copy: true }]);
});

it('E: a holder that boasts, and reports nothing but that it is there, is overdue all the same', async () => {
  const { task } = await heldByAnn(4);
  await db.store.heartbeat({
    worker: 'ann',
    boot: 'boot-of-ann',
    hostname: 'ann',
    jobTypes: ['noop'],
    models: ['noop'],
    concurrency: 1,
    leaseLimit: 0,
    rates: [{ ...NOOP[0], items_per_second: 100_000 }],
    offline: false,
    formerBoots: null,
  });
  expect(await ask('bob', { rate: 1 })).toEqual([]);
  await bring('ann', task, 0);
  await db.sql`update job_tallies set last_at = now() - interval '1 hour'`;
  expect(await bring('ann', task)).toMatchObject([{ outcome: 'accepted' }]);
  expect(await bring('ann', task, 0)).toMatchObject([{ outcome: 'accepted' }]);
  expect(idsOf(await ask('bob', { rate: 1 }))).toEqual([3, 2, 1].map(item));
});

describe('E: one copy an item', () => {
  it('at most, while there is one', async () => {
    await heldByAnn(10);
    expect(idsOf(await ask('bob'))).toEqual([9, 8, 7, 6, 5].map(item));
    expect(idsOf(await ask('cem'))).toEqual([4, 3, 2, 1, 0].map(item));
    expect(await ask('dan')).toEqual([]);
  });

  it('also when twelve ask at once, of three control planes', async () => {
    await submitJob(db.store, { items: 60, shardSize: 5 });
    await leaseTasks(db.store, 'ann', 12);
    const stores = Array.from({ length: 3 }, () => createStore({ url: db.url }));
    const names = Array.from({ length: 12 }, (_, n) => `worker-${n}`);
    const answers = await Promise.all(
      names.map((name, n) => ask(name, { slots: 10 }, stores[n % stores.length] ?? db.store)),
    );
    await Promise.all(stores.map((store) => store.close()));
    const given = answers.flatMap(idsOf);
    expect(given.length).toBeGreaterThanOrEqual(10);
    expect(new Set(given).size).toBe(given.length);
  });
});
