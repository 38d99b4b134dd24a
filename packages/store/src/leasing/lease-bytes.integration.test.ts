import { type Item, MAX_LEASE_BYTES, MAX_TASK_BYTES } from '@macbatch/core';
import { expect, it } from 'vitest';
import type { LeasedTask } from '../tasks/leased-tasks.ts';
import { copyStore, idsOf } from '../testing/copy-store.ts';
import { audit, completion, leaseOne, leaseTasks, NOOP_OFFERS, submitJob } from '../testing/index.ts';

const { db, lease } = copyStore();
const MIB = 1024 * 1024;

async function* itemsOf(bytes: readonly number[]): AsyncGenerator<Item, void, undefined> {
  for (const [n, size] of bytes.entries()) yield { id: `item-${n}`, payload: `"${'x'.repeat(size - 2)}"` };
}

/** Submits a job with one item for each size. A size is the length of the payload in bytes. */
async function submitSizes(shardSize: number, bytes: readonly number[], reuse = false): Promise<string> {
  const reply = await db.store.submit(
    {
      jobType: 'noop',
      model: 'noop',
      params: '{}',
      shardSize,
      retryOn: 'attempts',
      idempotencyKey: null,
      reuse,
    },
    itemsOf(bytes),
    () => '',
  );
  if (reply.outcome !== 'created') throw new Error(reply.outcome);
  return reply.jobId;
}

const bytesOf = (tasks: readonly LeasedTask[]) =>
  tasks.flatMap(({ items }) => items).reduce((sum, { payload }) => sum + payload.length, 0);
const sizes = async () =>
  (await db.sql<{ item_count: number }[]>`select item_count from tasks order by first_seq`).map(
    ({ item_count }) => item_count,
  );

it('cuts tasks by bytes as well as by items and says how many, bounds a lease reply in bytes, and leases everything in the end', async () => {
  const id = await submitSizes(
    40,
    Array.from({ length: 9 }, () => 6 * MIB),
  );
  expect(await sizes()).toEqual([2, 2, 2, 2, 1]);
  expect(await db.store.readJob(id)).toMatchObject({ tasks: { total: 5 }, smallerTasks: 4 });
  const leased: number[] = [];
  for (;;) {
    const tasks = await leaseTasks(db.store, 'ann', 100);
    if (tasks.length === 0) break;
    expect(bytesOf(tasks)).toBeLessThanOrEqual(MAX_LEASE_BYTES);
    leased.push(tasks.length);
    await db.store.report(
      'ann',
      tasks.map((task) => completion(task)),
    );
  }
  expect(leased).toEqual([2, 3]);
  expect(await db.store.readJob(id)).toMatchObject({ state: 'done', leasesGranted: 5 });
  expect(await audit(db.url)).toEqual([]);
});

it('leases an item alone that is larger than a task', async () => {
  await submitSizes(10, [MAX_LEASE_BYTES + 1, 10, MAX_TASK_BYTES + 1]);
  expect(await sizes()).toEqual([1, 1, 1]);
  const first = await leaseTasks(db.store, 'ann', 10);
  expect(idsOf(first)).toEqual(['item-0']);
  expect(idsOf(await leaseTasks(db.store, 'ann', 10))).toEqual(['item-1', 'item-2']);
});

it('leases many small tasks beside a few large ones in one call', async () => {
  await submitSizes(1, [15 * MIB, 15 * MIB, 15 * MIB]);
  await submitJob(db.store, { items: 20, shardSize: 1 });
  const all = await leaseTasks(db.store, 'ann', 100);
  expect(bytesOf(all)).toBeLessThanOrEqual(MAX_LEASE_BYTES);
  expect(all.length).toBeGreaterThanOrEqual(2);
});

it('repeats the leases of a lost reply within the same bound', async () => {
  await submitSizes(1, [10 * MIB, 10 * MIB, 10 * MIB, 10 * MIB]);
  await leaseTasks(db.store, 'ann', 3);
  await leaseTasks(db.store, 'ann', 1);
  const { tasks } = await db.store.lease({
    worker: 'ann',
    boot: 'boot-of-ann',
    limit: 10,
    offers: NOOP_OFFERS,
    renews: true,
    knownLeases: [],
  });
  expect(tasks).toHaveLength(3);
});

it('bounds copies in bytes', async () => {
  await submitSizes(
    1,
    Array.from({ length: 4 }, () => 12 * MIB),
  );
  for (let n = 0; n < 4; n += 1) await leaseOne(db.store, 'ann');
  const copied = await lease('bob', { slots: 8 });
  expect(copied.length).toBeGreaterThan(0);
  expect(bytesOf(copied)).toBeLessThanOrEqual(MAX_LEASE_BYTES);
});

it('cuts the items that must run, with the same bounds twice over, when some outcomes are reused', async () => {
  const done = await submitSizes(10, [6 * MIB], true);
  await db.store.report('ann', [completion(await leaseOne(db.store, 'ann'))]);
  expect(await db.store.readJob(done)).toMatchObject({ state: 'done' });
  // The first item equals the one above.
  await submitSizes(10, [6 * MIB, 6 * MIB + 1, 6 * MIB + 2, 6 * MIB + 3, 6 * MIB + 4], true);
  const tasks = await leaseTasks(db.store, 'ann', 10);
  expect(tasks.map(({ items }) => items.length)).toEqual([1, 2, 1]);
  expect(bytesOf(tasks)).toBeLessThanOrEqual(MAX_LEASE_BYTES);
  expect(await audit(db.url)).toEqual([]);
});
