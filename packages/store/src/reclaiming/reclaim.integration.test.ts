import { EXPIRED_TOO_OFTEN, MAX_EXPIRIES } from '@macbatch/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createStore } from '../create-store.ts';
import {
  audit,
  completion,
  freshStore,
  leaseOne,
  leaseTasks,
  makeLeasesPass,
  NOOP_OFFERS,
  rowCounts,
  sharedStore,
  submitJob,
} from '../testing/index.ts';
import { expireLeases } from './expire-leases.ts';

const db = sharedStore();

const force = { force: true };

it('R1: reclaims nothing without a request', async () => {
  await using db = await freshStore({ leaseSeconds: 0.05 });
  await submitJob(db.store, { items: 1 });
  await leaseTasks(db.store, 'ann');
  for (;;) {
    const [row] = await db.sql`select now() > lease_until + interval '0.5 seconds' as long_over from tasks`;
    if (row?.['long_over'] === true) break;
  }
  const [row] = await db.sql`select status from tasks`;
  expect(row?.['status']).toBe('leased');
  expect((await db.store.reclaim({ force: false })).reclaimed).toBe(1);
});

it('T5: sends an expired task back to pending, clears its worker and records an event', async () => {
  const jobId = await submitJob(db.store, { items: 1 });
  const [task] = await leaseTasks(db.store, 'ann');
  await makeLeasesPass(db.sql);
  expect(await db.store.reclaim(force)).toEqual({ reclaimed: 1, failed: 0, jobIds: [jobId] });
  expect(await db.sql`select status, assigned_worker, lease_until, attempts from tasks`).toEqual([
    { status: 'pending', assigned_worker: null, lease_until: null, attempts: 1 },
  ]);
  expect(await db.sql`select kind, job_id, task_id::text, worker_id, attempt from events`).toEqual([
    { kind: 'lease_expired', job_id: jobId, task_id: task?.taskId, worker_id: 'ann', attempt: 1 },
  ]);
});

it('T5: expires a lease that ends at this moment, and not one that ends a microsecond later', async () => {
  await submitJob(db.store, { items: 2, shardSize: 1 });
  await leaseTasks(db.store, 'ann', 2);
  await db.sql.begin(async (tx) => {
    // Postgres returns the same now() throughout a transaction.
    await tx`update tasks set lease_until = now() + (id - 1) * interval '1 microsecond'`;
    await expireLeases.run(tx, { limit: 10 });
    expect(await tx`select status from tasks order by id`).toEqual([
      { status: 'pending' },
      { status: 'leased' },
    ]);
  });
});

it('R3: counts the expiries of each job', async () => {
  const jobId = await submitJob(db.store, { items: 3, shardSize: 1 });
  const other = await submitJob(db.store, { items: 100 });
  await leaseTasks(db.store, 'ann', 3);
  await makeLeasesPass(db.sql);
  await db.store.reclaim(force);
  await leaseTasks(db.store, 'bob', 1);
  await makeLeasesPass(db.sql);
  await db.store.reclaim(force);
  expect((await db.store.readJob(jobId))?.leaseExpiredEvents).toBe(4);
  expect((await db.store.readJob(other))?.leaseExpiredEvents).toBe(0);
});

it('R4: changes no row in a second reclaim', async () => {
  await submitJob(db.store, { items: 50 });
  await leaseTasks(db.store, 'ann', 3);
  await makeLeasesPass(db.sql);
  expect((await db.store.reclaim(force)).reclaimed).toBe(3);
  const [before] =
    await db.sql`select md5(string_agg(tasks::text, ',' order by id)) as tasks, min(xmin::text::bigint) as writer from tasks`;
  const counts = await rowCounts(db.sql);
  expect(await db.store.reclaim(force)).toEqual({ reclaimed: 0, failed: 0, jobIds: [] });
  const [after] =
    await db.sql`select md5(string_agg(tasks::text, ',' order by id)) as tasks, min(xmin::text::bigint) as writer from tasks`;
  expect(after).toEqual(before);
  expect(await rowCounts(db.sql)).toEqual(counts);
});

it.each([2, 8])(
  'R5: records each expiry once when %i control planes reclaim concurrently',
  async (controlPlanes) => {
    const jobId = await submitJob(db.store, { items: 1500, shardSize: 1 });
    await leaseTasks(db.store, 'ann', 1500);
    await makeLeasesPass(db.sql);
    const stores = Array.from({ length: controlPlanes }, () => createStore({ url: db.url }));
    const answers = await Promise.all(stores.map((store) => store.reclaim(force)));
    await Promise.all(stores.map((store) => store.close()));
    // Takes back tasks that were still locked by one reclaim when the last one looked for expired leases.
    await db.store.reclaim(force);
    const [events] =
      await db.sql`select count(*)::int as all, count(distinct task_id)::int as tasks from events`;
    expect(events).toEqual({ all: 1500, tasks: 1500 });
    expect(answers.reduce((sum, { reclaimed }) => sum + reclaimed, 0)).toBeLessThanOrEqual(1500);
    expect((await db.store.readJob(jobId))?.leaseExpiredEvents).toBe(1500);
    expect(await audit(db.url)).toEqual([]);
  },
);

it('T11: fails a task after ten expiries in a row, and its error names the expiries', async () => {
  const jobId = await submitJob(db.store, { items: 2 });
  for (let n = 1; n <= MAX_EXPIRIES; n += 1) {
    expect((await leaseTasks(db.store, `worker-${n}`))[0]?.attempt).toBe(n);
    await makeLeasesPass(db.sql);
    await db.store.reclaim(force);
  }
  expect(await leaseTasks(db.store, 'ann')).toEqual([]);
  const job = await db.store.readJob(jobId);
  expect(job).toMatchObject({ state: 'failed', items: { failed: 2 }, leaseExpiredEvents: MAX_EXPIRIES });
  expect(job?.finishedAt).not.toBeNull();
  expect((await db.store.resultOf(jobId, 'item-0'))?.error).toBe(EXPIRED_TOO_OFTEN);
  expect(await audit(db.url)).toEqual([]);
});

it('T9: accepts a late result for a task that failed because of expiries', async () => {
  const jobId = await submitJob(db.store, { items: 1 });
  const first = await leaseOne(db.store, 'ann');
  for (let n = 1; n <= MAX_EXPIRIES; n += 1) {
    await makeLeasesPass(db.sql);
    await db.store.reclaim(force);
    await leaseTasks(db.store, 'bob');
  }
  expect(await db.store.report('ann', [completion(first)])).toEqual([
    { outcome: 'accepted', status: 'done' },
  ]);
  expect(await db.store.readJob(jobId)).toMatchObject({ state: 'done', items: { ok: 1, failed: 0 } });
  expect(await audit(db.url)).toEqual([]);
});

/**
 * A step of a random sequence. Simulates that `wait` milliseconds pass: advances the injected clock and moves every lease
 * end back. Then makes the call that `does` names.
 */
const moment = fc.record({
  wait: fc.oneof(fc.constant(0), fc.nat({ max: 300 }), fc.nat({ max: 5000 }), fc.nat({ max: 100_000 })),
  does: fc.constantFrom('lease', 'lease of a worker that renews', 'renew', 'lease elsewhere', 'nothing'),
});

it('R1: never leaves an expired lease behind when it skips a reclaim', async () => {
  let shift = 0;
  await using db = await freshStore({
    leaseSeconds: 60,
    renewedLeaseSeconds: 2,
    monotonicMs: () => performance.now() + shift,
  });
  const elsewhere = createStore({ url: db.url, leaseSeconds: 5, renewedLeaseSeconds: 1 });
  await submitJob(db.store, { items: 200, shardSize: 1 });
  let skipped = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(moment, { maxLength: 12, size: 'max' }), async (moments) => {
      for (const { wait, does } of moments) {
        shift += wait;
        await db.sql`update tasks set lease_until = lease_until - ${wait}::int * interval '1 millisecond' where status = 'leased'`;
        const call = {
          worker: 'ann',
          boot: 'b',
          limit: 1,
          offers: NOOP_OFFERS,
        } as const;
        const leases = await db.sql<{ taskId: string; attempt: number }[]>`
          select id::text as "taskId", attempts as attempt from tasks where status = 'leased' limit 1`;
        if (does === 'lease') await db.store.lease({ ...call, renews: false });
        if (does === 'lease of a worker that renews') await db.store.lease({ ...call, renews: true });
        if (does === 'lease elsewhere') await elsewhere.lease({ ...call, renews: true });
        if (does === 'renew') await db.store.renew('ann', 'boot-of-ann', leases);
        const [before] = await db.sql<{ now: string }[]>`select now()::text as now`;
        if (db.store.untilNextExpiryMs() > 0) skipped += 1;
        await db.store.reclaim({ force: false });
        const expired =
          await db.sql`select id from tasks where status = 'leased' and lease_until <= ${before?.now ?? ''}::text::timestamptz`;
        expect(expired).toEqual([]);
      }
    }),
    { numRuns: 40 },
  );
  await elsewhere.close();
  expect(skipped).toBeGreaterThan(20);
});

it('R1: gives every holder time to renew before it reclaims after the control plane’s host slept', async () => {
  let awakeMs = 0;
  await using db = await freshStore({ renewedLeaseSeconds: 0.3, monotonicMs: () => awakeMs });
  await submitJob(db.store, { items: 1 });
  await leaseTasks(db.store, 'ann');
  await db.store.reclaim({ force: false });
  // Simulates a sleep of 200 ms: the database's clock advances by 2.2 s, the clock of this process by 2 s.
  awakeMs += 2000;
  await db.sql`select pg_sleep(2.2)`;
  await makeLeasesPass(db.sql);
  expect((await db.store.reclaim({ force: false })).reclaimed).toBe(0);
  awakeMs += 299;
  expect((await db.store.reclaim({ force: false })).reclaimed).toBe(0);
  expect(db.store.untilNextExpiryMs()).toBeCloseTo(1, 0);
  awakeMs += 1;
  expect((await db.store.reclaim({ force: false })).reclaimed).toBe(1);
});
