import { makeLeasesPass, submitJob } from '@macbatch/store/testing';
import { until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { failures, scriptedRuntime } from '../testing/scripted-runtime.ts';
import { TestPool } from '../testing/test-pool.ts';

const NEVER_MS = 1e9;

it('I4: records finished items while others of the task still run', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 4, shardSize: 4 });
  const runtime = scriptedRuntime({ hold: (n) => n === 3 });
  const a = pool.start('a', runtime, { concurrency: 2, reportMs: NEVER_MS });
  // Nothing is left to start, so the outcomes are sent immediately.
  await until(async () => (await pool.job(id)).items.ok === 3);
  expect((await pool.job(id)).tasks).toMatchObject({ leased: 1 });
  runtime.release(3);
  expect(await pool.ended(id)).toMatchObject({ state: 'done', items: { ok: 4 }, leases_granted: 1 });
  await until(() => a.logged('task.reported').some(({ task_status }) => task_status === 'done'));
});

it('W4: collects outcomes while there is more to start', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 10, shardSize: 10 });
  const runtime = scriptedRuntime({ hold: (n) => n >= 4 });
  const a = pool.start('a', runtime, { concurrency: 2, reportMs: NEVER_MS });
  await until(() => runtime.running.length === 2 && runtime.started.length === 6);
  expect(a.requests).not.toContain('/v1/tasks/complete_batch');
  expect((await pool.job(id)).items.ok).toBe(0);
  runtime.release(4, 5, 6, 7, 8, 9);
  expect(await pool.ended(id)).toMatchObject({ items: { ok: 10 } });
});

it('I4: sends collected outcomes after reportMs at the latest', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 10, shardSize: 10 });
  const runtime = scriptedRuntime({ hold: (n) => n >= 4 });
  pool.start('a', runtime, { concurrency: 2, reportMs: 1 });
  await until(async () => (await pool.job(id)).items.ok === 4);
  expect(runtime.started).toHaveLength(6);
});

it('T5: loses only the items in flight when the lid is closed', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 6, shardSize: 6 });
  const first = scriptedRuntime({ hold: (n) => n >= 4 });
  // A Mac with a closed lid asks for no work.
  const a = pool.start('a', first, { concurrency: 2, leaseRequestsAtMost: 1 });
  await until(async () => (await pool.job(id)).items.ok === 4);
  await a.goAway();
  await makeLeasesPass(pool.sql);
  const second = scriptedRuntime();
  pool.start('b', second);
  expect(await pool.ended(id)).toMatchObject({ state: 'done', items: { ok: 6 } });
  expect(new Set(second.started)).toEqual(new Set([4, 5]));
  expect(second.started).toHaveLength(2);
});

it('I4: hands back only the item that fails', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 4, shardSize: 4 });
  const runtime = scriptedRuntime({ fail: (n) => (n === 1 ? failures.transient() : undefined) });
  pool.start('a', runtime, { concurrency: 1 });
  expect(await pool.ended(id)).toMatchObject({ state: 'failed', items: { ok: 3, failed: 1 } });
  expect(runtime.started.filter((n) => n !== 1)).toEqual([0, 2, 3]);
});

it('T9: stops a task when the answer to its partial report says that the job was cancelled', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 4, shardSize: 4 });
  const runtime = scriptedRuntime({ hold: (n) => n >= 1 });
  const a = pool.start('a', runtime, { concurrency: 2, heartbeatMs: NEVER_MS, reportMs: NEVER_MS });
  await until(() => runtime.running.length === 2);
  await pool.client.call('cancelJob', { params: { id } });
  runtime.release(1, 2); // only 3 is left, and it runs, so finished outcomes are sent
  await until(() => a.logged('lease.lost').length === 1);
  expect(a.logged('lease.lost')[0]).toMatchObject({ code: 'job_cancelled' });
  await until(() => runtime.aborted.includes(3));
});

it('T9: reports what it finished under a lost lease before it asks for more, and runs none of it again', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 4, shardSize: 4 });
  const runtime = scriptedRuntime({ hold: (n) => n === 1 });
  const a = pool.start('a', runtime, { concurrency: 1, reportMs: NEVER_MS });
  await until(() => runtime.running.includes(1));
  const taken = await pool.takeLeases(a, 'b');
  await until(() => a.logged('lease.lost').length === 1);
  runtime.release(1);
  await until(async () => (await pool.job(id)).items.ok === 2);
  await pool.store.release('b', taken);
  expect(await pool.ended(id)).toMatchObject({ state: 'done', items: { ok: 4 }, leases_granted: 3 });
  expect(runtime.started.filter((n) => n === 0)).toEqual([0]);
});
