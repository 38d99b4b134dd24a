import { expect, it } from 'vitest';
import { createStore } from '../create-store.ts';
import {
  audit,
  completion,
  freshStore,
  leaseOne,
  leaseTasks,
  sharedStore,
  submitJob,
} from '../testing/index.ts';

const db = sharedStore();

const ids = (tasks: readonly { readonly taskId: string }[]) => tasks.map(({ taskId }) => Number(taskId));

it('T4: a claim skips a task that another session has locked, without waiting', async () => {
  await submitJob(db.store, { items: 30 });
  await db.sql.begin(async (tx) => {
    // A claim that waits gets the task when this session times out, and the test fails.
    await tx`set local idle_in_transaction_session_timeout = '3s'`;
    await tx`select from tasks where id = 1 for update`;
    expect(ids(await leaseTasks(db.store, 'ann', 2))).toEqual([2, 3]);
  });
  expect(ids(await leaseTasks(db.store, 'ann', 2))).toEqual([1]);
});

it('T4: sixteen concurrent workers lease every task once', async () => {
  const jobId = await submitJob(db.store, { items: 400, shardSize: 1 });
  const taken: number[] = [];
  await Promise.all(
    Array.from({ length: 16 }, async (_, n) => {
      for (;;) {
        const tasks = await leaseTasks(db.store, `worker-${n}`, 7);
        if (tasks.length === 0) return;
        taken.push(...ids(tasks));
      }
    }),
  );
  expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 400 }, (_, i) => i + 1));
  expect((await db.store.readJob(jobId))?.tasks).toMatchObject({ pending: 0, leased: 400 });
  expect(await audit(db.url)).toEqual([]);
});

it('W4: a claim never leases more than the limit of the call, even while other sessions lock tasks', async () => {
  await Promise.all([1, 2, 3].map(() => submitJob(db.store, { items: 60, shardSize: 1 })));
  const locks = await Promise.all([1, 2].map(() => db.sql.reserve()));
  for (const [i, lock] of locks.entries()) {
    await lock`begin`;
    await lock`select from tasks where id % 7 = ${i} for update`;
  }
  const claims = await Promise.all(
    Array.from({ length: 24 }, (_, n) => leaseTasks(db.store, `w${n}`, 1 + (n % 5))),
  );
  for (const [n, tasks] of claims.entries()) expect(tasks.length).toBeLessThanOrEqual(1 + (n % 5));
  expect(new Set(claims.flatMap(ids)).size).toBe(claims.flat().length);
  expect(claims.flatMap(ids).filter((id) => id % 7 < 2)).toEqual([]);
  for (const lock of locks) {
    await lock`rollback`;
    lock.release();
  }
  expect(await audit(db.url)).toEqual([]);
});

it('T2: a lease sets the status, the lease end, the attempt and the holder together', async () => {
  await using db = await freshStore({ leaseSeconds: 600 });
  await submitJob(db.store, { items: 1 });
  const [task] = await leaseTasks(db.store, 'ann');
  const [row] = await db.sql`
    select status, attempts, assigned_worker, lease_until - now() > interval '599 seconds' as long_enough,
      lease_until - now() <= interval '600 seconds' as not_longer from tasks`;
  expect(task?.attempt).toBe(1);
  expect(row).toEqual({
    status: 'leased',
    attempts: 1,
    assigned_worker: 'ann',
    long_enough: true,
    not_longer: true,
  });
});

it('T3: a lease never lasts longer than LEASE_SECONDS, even if the store’s options ask for more', async () => {
  await using db = await freshStore({ leaseSeconds: 100_000 });
  await submitJob(db.store, { items: 1 });
  await leaseTasks(db.store, 'ann');
  const [row] = await db.sql`select lease_until <= now() + interval '600 seconds' as kept from tasks`;
  expect(row?.['kept']).toBe(true);
});

it('T4: a claim leases the oldest jobs first, and only jobs that the worker offers', async () => {
  const first = await submitJob(db.store, { items: 2, shardSize: 1 });
  await submitJob(db.store, { items: 2, shardSize: 1, model: 'another' });
  const third = await submitJob(db.store, { items: 2, shardSize: 1 });
  const tasks = await leaseTasks(db.store, 'ann', 10);
  expect(tasks.map(({ jobId }) => jobId)).toEqual([first, first, third, third]);
});

it('T9: a lease omits items that have an outcome', async () => {
  await submitJob(db.store, { items: 3 });
  const task = await leaseOne(db.store, 'ann');
  const whole = completion(task);
  await db.store.report('ann', [{ ...whole, outcomes: whole.outcomes.slice(1, 2), final: false }]);
  await db.store.release('ann', [task]);
  const [again] = await leaseTasks(db.store, 'bob');
  expect(again?.items.map(({ itemId }) => itemId)).toEqual(['item-0', 'item-2']);
});

it('T4: a claim finds a task that went back to pending although later tasks were leased before', async () => {
  const other = createStore({ url: db.url });
  await submitJob(db.store, { items: 4, shardSize: 1 });
  const first = await leaseOne(db.store, 'ann');
  await leaseTasks(db.store, 'ann', 1);
  await other.release('ann', [first]); // at another control plane, whose notification may come later
  await other.close();
  expect(ids(await leaseTasks(db.store, 'bob', 5)).toSorted()).toEqual([1, 3, 4]);
});
