import { expireLeases, submitJob } from '@macbatch/store/testing';
import { until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { failures, scriptedRuntime } from '../testing/scripted-runtime.ts';
import { TestPool } from '../testing/test-pool.ts';

const NEVER_MS = 1e9;

it('I4: what is finished is recorded while the rest of its task still runs', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 4, shardSize: 4 });
  const runtime = scriptedRuntime({ hold: (n) => n === 3 });
  const a = pool.start('a', runtime, { concurrency: 2, reportMs: NEVER_MS });
  // Nothing is left to start: it is sent at once.
  await until(async () => (await pool.job(id)).items.ok === 3);
  expect((await pool.job(id)).tasks).toMatchObject({ leased: 1 });
  runtime.release(3);
  expect(await pool.ended(id)).toMatchObject({ state: 'done', items: { ok: 4 }, leases_granted: 1 });
  await until(() => a.logged('task.reported').some(({ task_status }) => task_status === 'done'));
});

it('W4: while there is more to start, outcomes wait for others to go with them', async () => {
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

it('I4: they wait no longer than they are told to', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 10, shardSize: 10 });
  const runtime = scriptedRuntime({ hold: (n) => n >= 4 });
  pool.start('a', runtime, { concurrency: 2, reportMs: 1 });
  await until(async () => (await pool.job(id)).items.ok === 4);
  expect(runtime.started).toHaveLength(6);
});

it('T5: a closed lid costs the items in flight and nothing else', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 6, shardSize: 6 });
  const first = scriptedRuntime({ hold: (n) => n >= 4 });
  // A closed lid asks for nothing either.
  const a = pool.start('a', first, { concurrency: 2, leaseRequestsAtMost: 1 });
  await until(async () => (await pool.job(id)).items.ok === 4);
  a.away = true;
  await expireLeases(pool.sql);
  const second = scriptedRuntime();
  pool.start('b', second);
  expect(await pool.ended(id)).toMatchObject({ state: 'done', items: { ok: 6 } });
  expect(new Set(second.started)).toEqual(new Set([4, 5]));
  expect(second.started).toHaveLength(2);
});

it('I4: an item that fails here goes back alone', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 4, shardSize: 4 });
  const runtime = scriptedRuntime({ fail: (n) => (n === 1 ? failures.transient() : undefined) });
  pool.start('a', runtime, { concurrency: 1 });
  expect(await pool.ended(id)).toMatchObject({ state: 'failed', items: { ok: 3, failed: 1 } });
  expect(runtime.started.filter((n) => n !== 1)).toEqual([0, 2, 3]);
});

it('T9: a task that nobody wants any more is stopped by the answer to what it has sent', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 4, shardSize: 4 });
  const runtime = scriptedRuntime({ hold: (n) => n >= 1 });
  const a = pool.start('a', runtime, { concurrency: 2, heartbeatMs: NEVER_MS, reportMs: NEVER_MS });
  await until(() => runtime.running.length === 2);
  await pool.client.call('cancelJob', { params: { id } });
  runtime.release(1, 2); // only 3 is left, and it runs: what is finished is sent
  await until(() => a.logged('lease.lost').length === 1);
  expect(a.logged('lease.lost')[0]).toMatchObject({ code: 'job_cancelled' });
  await until(() => runtime.aborted.includes(3));
});

it('T9: what was finished under a lost lease is reported before more is asked for, and not run again', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 4, shardSize: 4 });
  const runtime = scriptedRuntime({ hold: (n) => n === 1 });
  const a = pool.start('a', runtime, { concurrency: 1, reportMs: NEVER_MS });
  await until(() => runtime.running.includes(1));
  a.away = true;
  await expireLeases(pool.sql);
  await pool.client.call('reclaim', {});
  a.away = false;
  await until(() => a.logged('lease.lost').length === 1);
  runtime.release(1);
  expect(await pool.ended(id)).toMatchObject({ state: 'done', items: { ok: 4 }, leases_granted: 2 });
  expect(runtime.started.filter((n) => n === 0)).toEqual([0]);
});
