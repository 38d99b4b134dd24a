import { makeLeasesPass, submitJob } from '@macbatch/store/testing';
import { until } from '@macbatch/testing';
import { expect, it, onTestFinished } from 'vitest';
import { scriptedRuntime } from '../testing/scripted-runtime.ts';
import { TestPool } from '../testing/test-pool.ts';

const always = () => true;

it('T3: renews a slow task far beyond the length of a lease', async () => {
  const pool = await TestPool.open({ renewedLeaseSeconds: 3 });
  const id = await submitJob(pool.store, { items: 2, shardSize: 2 });
  const runtime = scriptedRuntime({ hold: always });
  pool.start('a', runtime, { heartbeatMs: 60_000 });
  await until(() => runtime.running.length === 2);
  await until(async () => {
    const { reclaimed } = await pool.client.call('reclaim', {});
    expect(reclaimed).toBe(0);
    const [lease] = await pool.sql<{ old: boolean }[]>`
      select leased_at + interval '7 seconds' < now() as old from leases`;
    return lease?.old === true;
  });
  runtime.release(0, 1);
  expect(await pool.ended(id)).toMatchObject({
    leases_granted: 1,
    lease_expired_events: 0,
    items: { ok: 2 },
  });
});

it('T9: starts nothing more under a lost lease, and reports what was running', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 3, shardSize: 3 });
  const runtime = scriptedRuntime({ hold: (n) => n > 0 });
  const a = pool.start('a', runtime, { concurrency: 1, leaseRequestsAtMost: 1 });
  await until(() => runtime.started.length === 2 && runtime.running.length === 1);
  await pool.takeLeases(a, 'b');
  await until(() => a.logged('lease.lost').length === 1);
  expect(runtime.aborted).toEqual([]);
  runtime.release(1);
  await until(async () => (await pool.job(id)).items.ok === 2);
  expect(a.logged('task.reported').filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
  expect(a.logged('task.released')).toEqual([]);
  expect(runtime.started).toEqual([0, 1]);
});

it('T14: finishes a task whose lease expired while the lid was closed, without another attempt', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 3, shardSize: 3 });
  const runtime = scriptedRuntime({ hold: always });
  const a = pool.start('a', runtime, { concurrency: 2 });
  await until(() => runtime.running.length === 2);
  await a.goAway();
  await makeLeasesPass(pool.sql);
  await pool.client.call('reclaim', {});
  expect(await pool.job(id)).toMatchObject({ tasks: { pending: 1 } });
  a.away = false;
  await until(async () => (await pool.job(id)).tasks.leased === 1);
  await until(() => {
    runtime.release(0, 1, 2);
    return runtime.started.length === 3;
  });
  expect(await pool.ended(id)).toMatchObject({
    items: { ok: 3 },
    leases_granted: 1,
    lease_expired_events: 1,
  });
  expect(runtime.started).toEqual([0, 1, 2]);
  expect(runtime.aborted).toEqual([]);
  expect(a.logged('lease.lost')).toEqual([]);
});

it('T9: aborts the running items of a cancelled job', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 1 });
  const runtime = scriptedRuntime({ hold: always });
  pool.start('a', runtime, { concurrency: 1, leaseRequestsAtMost: 1 });
  await until(() => runtime.running.length === 1);
  await pool.client.call('cancelJob', { params: { id } });
  await until(() => runtime.aborted.length === 1);
});

it('T7: gets "superseded" for a late outcome of an item that has one', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 1 });
  const runtime = scriptedRuntime({ hold: always, ignoresAborts: true });
  const a = pool.start('a', runtime, { concurrency: 1, leaseRequestsAtMost: 1 });
  onTestFinished(() => runtime.release(0));
  await until(() => runtime.running.length === 1);
  await a.goAway();
  await makeLeasesPass(pool.sql);
  pool.start('b', scriptedRuntime());
  expect(await pool.ended(id)).toMatchObject({ state: 'done', lease_expired_events: 1 });
  a.away = false;
  runtime.release(0);
  await until(() => a.logged('task.reported').length > 0);
  expect(a.logged('task.reported')).toMatchObject([{ outcome: 'superseded', task_status: 'done' }]);
  expect(await pool.results(id)).toMatchObject([{ worker: 'b', attempt: 2 }]);
});

it('T9: after a sleep, starts no item of a task before a heartbeat has confirmed its lease', async () => {
  const pool = await TestPool.open();
  const kept = await submitJob(pool.store, { items: 2, shardSize: 2 });
  let time = 0;
  const runtime = scriptedRuntime({ hold: (n) => n === 0 });
  const a = pool.start('a', runtime, { concurrency: 1, now: () => time });
  await until(() => runtime.running.length === 1);
  await a.goAway();
  time = 3_600_000;
  runtime.release(0);
  await until(() => a.logged('lease.doubted').length === 1 && runtime.running.length === 0);
  await until(() => a.logged('heartbeat.failed').length > 1);
  expect(runtime.started).toEqual([0]);
  a.away = false;
  // By the database's clock the lease has not expired, so the task stays here.
  expect(await pool.ended(kept)).toMatchObject({ leases_granted: 1, items: { ok: 2 } });
});

it('W6: keeps a report while the control plane is unreachable', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 2, shardSize: 2 });
  const runtime = scriptedRuntime({ hold: always });
  const a = pool.start('a', runtime);
  await until(() => runtime.running.length === 2);
  await a.goAway();
  runtime.release(0, 1);
  await until(() => a.logged('report.delayed').length > 3);
  expect(await pool.job(id)).toMatchObject({ state: 'running', items: { ok: 0 } });
  a.away = false;
  expect(await pool.ended(id)).toMatchObject({ items: { ok: 2 }, leases_granted: 1 });
});
