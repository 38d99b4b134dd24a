import { submitJob } from '@macbatch/store/testing';
import { until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { scriptedRuntime } from '../testing/scripted-runtime.ts';
import { TestPool } from '../testing/test-pool.ts';

const PAUSE = { rule: 'on_battery', reason: 'on battery (78 %)' };

const pauseOf = async (pool: TestPool) =>
  (await pool.client.call('listWorkers', {})).workers[0]?.pause ?? null;

it('a worker that pauses itself takes nothing, not even by the request that waits, and then goes on', async () => {
  const pool = await TestPool.open();
  const a = pool.start('a', scriptedRuntime());
  await until(() => a.requests.includes('/v1/tasks/lease'));
  a.agent.setPause(PAUSE);
  await until(async () => (await pauseOf(pool)) !== null);
  expect(await pauseOf(pool)).toMatchObject(PAUSE);
  const id = await submitJob(pool.store, { items: 3, shardSize: 3 });
  const asked = a.requests.filter((path) => path === '/v1/tasks/lease').length;
  const beats = () => a.requests.filter((path) => path === '/v1/workers/heartbeat').length;
  const beaten = beats();
  await until(() => beats() > beaten + 2);
  expect(a.logged('task.leased')).toEqual([]);
  expect(a.requests.filter((path) => path === '/v1/tasks/lease')).toHaveLength(asked);
  a.agent.setPause(null);
  expect(await pool.ended(id)).toMatchObject({ items: { ok: 3 }, lease_expired_events: 0 });
  await until(async () => (await pauseOf(pool)) === null);
});

it('a pause hands back at once what has not started, uncharged, while items that run may end', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 6, shardSize: 6 });
  const runtime = scriptedRuntime({ hold: () => true });
  const a = pool.start('a', runtime, { concurrency: 2 });
  await until(() => runtime.running.length === 2);
  a.agent.setPause(PAUSE);
  await until(async () => (await pool.job(id)).tasks.pending === 1);
  expect(runtime.running).toEqual([0, 1]);
  runtime.release(0, 1);
  await until(async () => (await pool.job(id)).items.ok === 2);
  const [task] = await pool.sql<{ charged: number }[]>`select attempts - returns as charged from tasks`;
  expect(task).toEqual({ charged: 0 });
  const elsewhere = scriptedRuntime();
  pool.start('b', elsewhere);
  expect(await pool.ended(id)).toMatchObject({ items: { ok: 6 }, lease_expired_events: 0 });
  expect(elsewhere.started.toSorted((x, y) => x - y)).toEqual([2, 3, 4, 5]);
});
