import { join } from 'node:path';
import { audit, submitJob } from '@macbatch/store/testing';
import { testFolder, until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { Outbox } from '../outbox/outbox.ts';
import { scriptedRuntime } from '../testing/scripted-runtime.ts';
import { TestPool } from '../testing/test-pool.ts';

const always = () => true;

it('W7: on a drain, leases nothing, lets running items end, hands back the rest and goes offline', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 8, shardSize: 4 });
  const runtime = scriptedRuntime({ hold: always });
  const a = pool.start('a', runtime, { concurrency: 2 });
  await until(() => runtime.running.length === 2);
  a.ask();
  expect(a.agent.state).toBe('draining');
  const leased = a.logged('task.leased').length;
  runtime.release(0);
  await until(() => runtime.running.length === 1);
  runtime.release(1);
  await a.ended;
  expect(runtime.started).toEqual([0, 1]);
  expect(runtime.aborted).toEqual([]);
  expect(a.logged('task.leased')).toHaveLength(leased);
  expect(await pool.job(id)).toMatchObject({ items: { ok: 2, open: 6 }, tasks: { pending: 2, leased: 0 } });
  const { workers } = await pool.client.call('listWorkers', {});
  expect(workers).toMatchObject([{ worker_id: 'a', offline: true, alive: false, tasks_leased: 0 }]);

  const elsewhere = scriptedRuntime();
  pool.start('b', elsewhere);
  expect(await pool.ended(id)).toMatchObject({ items: { ok: 8 }, lease_expired_events: 0 });
  expect(elsewhere.started.toSorted((x, y) => x - y)).toEqual([2, 3, 4, 5, 6, 7]);
});

it('W7: hands back unstarted items immediately, and reports running items when they end', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 6, shardSize: 6 });
  const runtime = scriptedRuntime({ hold: (n) => n > 0 });
  const a = pool.start('a', runtime, { concurrency: 2 });
  await until(() => runtime.running.length === 2);
  a.ask();
  // The finished outcome is reported, then the lease is released, while two items still run.
  await until(() => a.logged('task.released').length === 1);
  expect(a.logged('task.reported')).toMatchObject([{ outcome: 'accepted' }]);
  expect(await pool.job(id)).toMatchObject({ items: { ok: 1, open: 5 }, tasks: { pending: 1 } });
  expect(runtime.running).toEqual([1, 2]);
  await until(() => a.requests.filter((path) => path === '/v1/workers/heartbeat').length > 5);
  expect(a.logged('lease.lost')).toEqual([]);

  runtime.release(1, 2);
  await a.ended;
  expect(runtime.aborted).toEqual([]);
  expect(a.logged('task.released')).toHaveLength(1);
  expect(await pool.job(id)).toMatchObject({ items: { ok: 3, open: 3 }, tasks: { pending: 1 } });
  const [task] = await pool.sql<{ charged: number }[]>`select attempts - returns as charged from tasks`;
  expect(task).toEqual({ charged: 0 });
  const elsewhere = scriptedRuntime();
  pool.start('b', elsewhere);
  expect(await pool.ended(id)).toMatchObject({ items: { ok: 6 }, lease_expired_events: 0 });
  expect(elsewhere.started).toEqual([3, 4, 5]);
  expect(await audit(pool.url)).toEqual([]);
});

it('W7: aborts and hands back items that do not end within the grace time', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 2, shardSize: 2 });
  const runtime = scriptedRuntime({ hold: always });
  const a = pool.start('a', runtime, { concurrency: 1, graceMs: 20 });
  await until(() => runtime.running.length === 1);
  a.ask();
  await a.ended;
  expect(runtime.aborted).toEqual([0]);
  expect(await pool.job(id)).toMatchObject({ items: { open: 2 }, tasks: { pending: 1 } });
  const [task] = await pool.sql<{ charged: number }[]>`select attempts - returns as charged from tasks`;
  expect(task).toEqual({ charged: 0 });
});

it('W7: hands back what the control plane granted in a reply that never arrived', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 2, shardSize: 1 });
  const a = pool.start('a', scriptedRuntime(), { losesLeaseReplies: true });
  await until(async () => (await pool.job(id)).tasks.leased === 1);
  a.ask();
  await a.ended;
  expect(a.logged('task.leased')).toEqual([]);
  expect(await pool.job(id)).toMatchObject({ tasks: { pending: 2, leased: 0 }, lease_expired_events: 0 });
  expect(await audit(pool.url)).toEqual([]);
});

it('W7: keeps the lease of a task whose outcomes it could not report, for its next boot', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 2, shardSize: 2 });
  const runtime = scriptedRuntime({ hold: (n) => n === 1 });
  const { outbox } = await Outbox.open(join(testFolder(), 'outbox.jsonl'));
  const a = pool.start('a', runtime, { concurrency: 1, outbox, losesReports: true });
  await until(() => runtime.running.includes(1));
  a.ask();
  a.forceQuit();
  await a.ended;
  await outbox.close();
  expect(await pool.job(id)).toMatchObject({ items: { ok: 0 }, tasks: { leased: 1 } });
});

it('W7: waits for no item after a forced quit', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 2, shardSize: 2 });
  const runtime = scriptedRuntime({ hold: (n) => n === 1 });
  const a = pool.start('a', runtime, { concurrency: 1 });
  await until(() => runtime.running.includes(1));
  a.ask();
  expect(runtime.aborted).toEqual([]);
  a.forceQuit();
  await a.ended;
  expect(runtime.aborted).toEqual([1]);
  expect(await pool.job(id)).toMatchObject({ items: { ok: 1, open: 1 }, tasks: { pending: 1 } });
});

it('W7: ends even when the control plane is unreachable', async () => {
  const pool = await TestPool.open();
  await submitJob(pool.store, { items: 1 });
  const runtime = scriptedRuntime({ hold: always });
  const a = pool.start('a', runtime, { concurrency: 1 });
  await until(() => runtime.running.length === 1);
  await a.goAway();
  a.ask();
  runtime.release(0);
  await a.ended;
  expect(a.logged('report.abandoned')).toEqual([{ event: 'report.abandoned', tasks: 1 }]);
  expect(a.agent.state).toBe('stopped');
});
