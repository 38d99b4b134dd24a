import { submitJob } from '@macbatch/store/testing';
import { until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { RunFailure } from '../runtimes/runtime.ts';
import { scriptedRuntime } from '../testing/scripted-runtime.ts';
import { TestPool } from '../testing/test-pool.ts';

const NEVER_MS = 1e9;

it('copies the last items of a worker that makes no progress to an idle one', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 6, shardSize: 6 });
  const slow = scriptedRuntime({ hold: () => true });
  const a = pool.start('a', slow, { concurrency: 1, reportMs: 1 });
  await until(() => slow.running.length === 1);
  const quick = scriptedRuntime();
  const b = pool.start('b', quick, { concurrency: 1 });
  await until(async () => (await pool.job(id)).items.ok >= 3);
  const beats = () => a.requests.filter((path) => path.endsWith('/heartbeat')).length;
  const before = beats();
  await until(() => beats() >= before + 2);
  expect(quick.started.slice(0, 3)).toEqual([5, 4, 3]);
  slow.release(0, 1, 2, 3, 4, 5);
  expect(await pool.ended(id)).toMatchObject({ state: 'done', items: { ok: 6 }, leases_granted: 1 });
  expect(new Set((await pool.results(id)).map((line) => line.id)).size).toBe(6);
  expect(b.logged('task.leased')[0]).toMatchObject({ copy: true });
  await until(() => slow.running.length === 0);
  // Items that b had reported were not run again.
  expect(slow.started.length).toBeLessThan(6);
});

it('stops items that a copy has finished, even while they run, and asks for more work', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 2, shardSize: 2 });
  const stuck = scriptedRuntime({ hold: () => true });
  const a = pool.start('a', stuck, { concurrency: 2, reportMs: NEVER_MS, heartbeatMs: 50 });
  await until(() => stuck.running.length === 2);
  await pool.sql`update job_tallies set last_at = now() - interval '1 hour'`; // a is overdue
  const quick = scriptedRuntime();
  pool.start('b', quick, { concurrency: 2 });
  expect(await pool.ended(id)).toMatchObject({ state: 'done', items: { ok: 2 }, leases_granted: 1 });
  await until(() => stuck.running.length === 0);
  expect(stuck.aborted.toSorted()).toEqual([0, 1]);
  const next = await submitJob(pool.store, { items: 2, shardSize: 1 });
  stuck.release(0, 1);
  expect(await pool.ended(next)).toMatchObject({ items: { ok: 2 } });
  expect(a.logged('task.released')).toEqual([]);
});

it('leaves an item that fails on a copy to its holder, without an attempt', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 4, shardSize: 4 });
  const slow = scriptedRuntime({ hold: () => true });
  pool.start('a', slow, { concurrency: 1 });
  await until(() => slow.running.length === 1);
  const broken = scriptedRuntime({ fail: () => new RunFailure('transient', 'timeout', 'it broke') });
  const b = pool.start('b', broken, { concurrency: 1 });
  await until(() => b.logged('task.reported').some(({ code }) => code === 'lease_lost'));
  slow.release(0, 1, 2, 3);
  expect(await pool.ended(id)).toMatchObject({ state: 'done', items: { ok: 4 }, leases_granted: 1 });
});

it('makes no copy of an item that crashed a runtime and runs alone', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 3, shardSize: 3 });
  let crashes = 0;
  const crashing = scriptedRuntime({
    hold: (n) => n !== 2 || crashes > 0,
    fail: (n) => {
      if (n !== 2) return undefined;
      crashes += 1;
      return new RunFailure('crashed', 'runtime_crashed', 'the process has ended');
    },
  });
  const a = pool.start('a', crashing, { concurrency: 1, heartbeatMs: 60_000 });
  crashing.release(0, 1);
  await until(() => a.logged('runtime.crashed').length === 1);
  await until(async () => (await pool.sql`select from copies where ended = 'suspect'`).length === 1);
  const quick = scriptedRuntime();
  const b = pool.start('b', quick, { concurrency: 1 });
  await until(() => b.requests.filter((path) => path === '/v1/tasks/lease').length > 0);
  crashing.release(2);
  expect(await pool.ended(id)).toMatchObject({ items: { ok: 2, error: 1 } });
  expect(quick.started).not.toContain(2);
});
