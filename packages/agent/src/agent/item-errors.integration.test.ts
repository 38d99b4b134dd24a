import { submitJob } from '@macbatch/store/testing';
import { until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { failures, scriptedRuntime } from '../testing/scripted-runtime.ts';
import { SHORT_PAUSES } from '../testing/short-pauses.ts';
import { TestPool } from '../testing/test-pool.ts';
import { PAUSES } from '../worker/pauses.ts';

it('I1: records a permanent error as the item’s outcome and fails no other item', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 6, shardSize: 3 });
  const fail = (n: number) => (n === 1 ? failures.permanent() : undefined);
  pool.start('a', scriptedRuntime({ fail }));
  expect(await pool.ended(id)).toMatchObject({
    state: 'done',
    items: { ok: 5, error: 1, failed: 0 },
    tasks: { done: 2, failed: 0 },
    leases_granted: 2,
  });
  const results = await pool.results(id);
  expect(results.map(({ status }) => status)).toEqual(['ok', 'error', 'ok', 'ok', 'ok', 'ok']);
  expect(results[1]?.error).toEqual({ code: 'context_length_exceeded', message: 'too long for it' });
});

it('T6: after an error, runs only the items without an outcome again, on another worker', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 4, shardSize: 4 });
  const fail = (n: number) => (n === 2 ? failures.transient() : undefined);
  const a = pool.start('a', scriptedRuntime({ fail }), { leaseRequestsAtMost: 1 });
  await until(() => a.logged('task.reported').some(({ task_status }) => task_status === 'pending'));
  expect(a.logged('task.reported').filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
  expect(await pool.job(id)).toMatchObject({ state: 'running', items: { ok: 3, open: 1 } });

  const elsewhere = scriptedRuntime();
  pool.start('b', elsewhere);
  expect(await pool.ended(id)).toMatchObject({ state: 'done', items: { ok: 4 }, leases_granted: 2 });
  expect(elsewhere.started).toEqual([2]);
  const results = await pool.results(id);
  expect(results.map(({ worker, attempt }) => `${worker}${attempt}`)).toEqual(['a1', 'a1', 'b2', 'a1']);
});

it('T6: fails the task after three errors, keeps recorded outcomes and counts one failed task', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 3, shardSize: 3 });
  const runtime = scriptedRuntime({ fail: (n) => (n === 0 ? failures.transient('broken pipe') : undefined) });
  pool.start('a', runtime, { pauses: { ...SHORT_PAUSES, lonePatienceMs: 0 } });
  expect(await pool.ended(id)).toMatchObject({
    state: 'failed',
    items: { ok: 2, failed: 1 },
    tasks: { failed: 1 },
    leases_granted: 3,
  });
  // Three tries in the first attempt. The worker remembers them: one in each of the others. The other items run once.
  expect(runtime.started.filter((n) => n === 0)).toHaveLength(5);
  expect(runtime.started.filter((n) => n !== 0)).toHaveLength(2);
  const [first] = await pool.results(id);
  expect(first).toMatchObject({ status: 'error', error: { code: 'timeout', message: 'broken pipe' } });
  const { workers } = await pool.client.call('listWorkers', {});
  expect(workers).toMatchObject([{ worker_id: 'a', tasks_done: 0, tasks_failed: 1 }]);
});

it('T6: hands back a task that it cannot run, requests no more of its kind, and charges no attempt', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 3, shardSize: 3 });
  const a = pool.start('a', scriptedRuntime({ fail: () => failures.notHere() }), { pauses: PAUSES });
  await until(async () => {
    const { workers } = await pool.client.call('listWorkers', {});
    return workers[0]?.models.length === 0 && workers[0].tasks_leased === 0;
  });
  expect(a.logged('task.not_here')[0]).toMatchObject({ code: 'model_not_found' });
  const [task] = await pool.sql<{ charged: number; errors: number }[]>`
    select attempts - returns as charged, errors from tasks`;
  expect(task).toEqual({ charged: 0, errors: 0 });

  pool.start('b', scriptedRuntime());
  expect(await pool.ended(id)).toMatchObject({ state: 'done', items: { ok: 3 } });
  // The request that was already open may lease it once more.
  expect(a.logged('task.leased').length).toBeLessThanOrEqual(2);
});

it('offers a withdrawn model again after its pause', async () => {
  const pool = await TestPool.open();
  let time = 0;
  let missing: boolean = true;
  const fail = () => (missing ? failures.notHere() : undefined);
  const a = pool.start('a', scriptedRuntime({ fail }), { now: () => time });
  const id = await submitJob(pool.store, { items: 1 });
  await until(async () => (await pool.client.call('listWorkers', {})).workers[0]?.models.length === 0);
  missing = false;
  time = 60_000;
  expect(await pool.ended(id)).toMatchObject({ state: 'done' });
  expect(a.logged('task.not_here').length).toBeGreaterThan(0);
});
