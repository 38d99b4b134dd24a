import { audit, expireLeases, submitJob } from '@macbatch/store/testing';
import { until } from '@macbatch/testing';
import { expect, it, onTestFinished } from 'vitest';
import { failures, scriptedRuntime } from '../testing/scripted-runtime.ts';
import { TestPool } from '../testing/test-pool.ts';

const outputsOf = (results: readonly { readonly output?: unknown }[]) => results.map(({ output }) => output);
const numbered = (count: number) => Array.from({ length: count }, (_, n) => ({ item: n }));
const always = () => true;

it('I1: two agents run a job to its end, with one outcome for each item, in order', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 53, shardSize: 5 });
  const agents = ['a', 'b'].map((name) => pool.start(name, scriptedRuntime(), { concurrency: 4 }));
  const job = await pool.ended(id);
  expect(job).toMatchObject({
    state: 'done',
    items: { total: 53, ok: 53, error: 0, failed: 0, open: 0 },
    tasks: { total: 11, done: 11, failed: 0 },
    leases_granted: 11,
    lease_expired_events: 0,
    models_used: [{ name: 'scripted', digest: null }],
    mixed_models: false,
  });
  expect(outputsOf(await pool.results(id))).toEqual(numbered(53));
  for (const { ask, ended, agent, log } of agents) {
    ask();
    await ended;
    expect(agent.state).toBe('stopped');
    expect(log.map(({ event }) => event).filter((event) => event.startsWith('worker.'))).toEqual([
      'worker.running',
      'worker.draining',
      'worker.stopped',
    ]);
  }
  expect(await audit(pool.url)).toEqual([]);
});

it('R4: claims nothing before its first heartbeat is answered', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 1 });
  const a = pool.start('a', scriptedRuntime(), { away: true });
  await until(() => a.logged('heartbeat.failed').length >= 2);
  expect(a.agent.state).toBe('starting');
  expect(new Set(a.requests)).toEqual(new Set(['/v1/workers/heartbeat']));
  a.away = false;
  expect(await pool.ended(id)).toMatchObject({ state: 'done' });
  expect(a.agent.state).toBe('running');
});

it.each([
  { items: 24, shardSize: 2, leaseLimit: 1, concurrency: 3 },
  { items: 24, shardSize: 1, leaseLimit: 2, concurrency: 5 },
  { items: 24, shardSize: 12, leaseLimit: 1, concurrency: 4 },
])(
  'leaves no slot idle while items are pending: %o',
  async ({ items, shardSize, leaseLimit, concurrency }) => {
    const pool = await TestPool.open();
    const id = await submitJob(pool.store, { items, shardSize });
    const runtime = scriptedRuntime({ hold: always });
    pool.start('a', runtime, { leaseLimit, concurrency });
    for (let ended = 0; ended < items; ended += 1) {
      // A free slot is filled while the other items still run.
      await until(() => runtime.running.length === Math.min(concurrency, items - ended));
      runtime.release(runtime.running[ended % 2] ?? runtime.running[0] ?? -1);
    }
    expect(await pool.ended(id)).toMatchObject({ items: { ok: items } });
    expect(runtime.started).toHaveLength(items);
  },
);

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
  pool.start('a', runtime);
  expect(await pool.ended(id)).toMatchObject({
    state: 'failed',
    items: { ok: 2, failed: 1 },
    tasks: { failed: 1 },
    leases_granted: 3,
  });
  // Three tries in each of the three attempts. The other items run once.
  expect(runtime.started.filter((n) => n === 0)).toHaveLength(9);
  expect(runtime.started.filter((n) => n !== 0)).toHaveLength(2);
  const [first] = await pool.results(id);
  expect(first).toMatchObject({ status: 'error', error: { code: 'timeout', message: 'broken pipe' } });
  const { workers } = await pool.client.call('listWorkers', {});
  expect(workers).toMatchObject([{ worker_id: 'a', tasks_done: 0, tasks_failed: 1 }]);
});

it('T6: hands back what it cannot run, asks for it no more, and costs no attempt', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 3, shardSize: 3 });
  const a = pool.start('a', scriptedRuntime({ fail: () => failures.notHere() }));
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

it('T9: stops work on a lost lease, and reports what was finished', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 3, shardSize: 3 });
  const runtime = scriptedRuntime({ hold: (n) => n > 0 });
  const a = pool.start('a', runtime, { concurrency: 2, leaseRequestsAtMost: 1 });
  await until(() => runtime.started.length === 3 && runtime.running.length === 2);
  // A heartbeat between these two statements would renew the lease.
  a.away = true;
  await expireLeases(pool.sql);
  await pool.client.call('reclaim', {});
  a.away = false;
  await until(() => runtime.aborted.length === 2);
  await until(async () => (await pool.job(id)).items.ok === 1);
  expect(a.logged('lease.lost')).toHaveLength(1);
  expect(a.logged('task.reported').filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
  expect(a.logged('task.released')).toEqual([]);

  const elsewhere = scriptedRuntime();
  pool.start('b', elsewhere);
  expect(await pool.ended(id)).toMatchObject({
    items: { ok: 3 },
    lease_expired_events: 1,
    leases_granted: 2,
  });
  expect(elsewhere.started).toEqual([1, 2]);
});

it('T7: gets "superseded" for a late outcome of an item that has one', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 1 });
  const runtime = scriptedRuntime({ hold: always, ignoresAborts: true });
  const a = pool.start('a', runtime, { concurrency: 1, leaseRequestsAtMost: 1 });
  onTestFinished(() => runtime.release(0));
  await until(() => runtime.running.length === 1);
  a.away = true;
  await expireLeases(pool.sql);
  pool.start('b', scriptedRuntime());
  expect(await pool.ended(id)).toMatchObject({ state: 'done', lease_expired_events: 1 });
  a.away = false;
  runtime.release(0);
  await until(() => a.logged('task.reported').length > 0);
  expect(a.logged('task.reported')).toMatchObject([{ outcome: 'superseded', task_status: 'done' }]);
  expect(await pool.results(id)).toMatchObject([{ worker: 'b', attempt: 2 }]);
});

it('T9: after a sleep, starts nothing of a task before a heartbeat has confirmed its lease', async () => {
  const pool = await TestPool.open();
  const kept = await submitJob(pool.store, { items: 2, shardSize: 2 });
  let time = 0;
  const runtime = scriptedRuntime({ hold: (n) => n === 0 });
  const a = pool.start('a', runtime, { concurrency: 1, now: () => time });
  await until(() => runtime.running.length === 1);
  a.away = true;
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
  a.away = true;
  runtime.release(0, 1);
  await until(() => a.logged('report.delayed').length > 3);
  expect(await pool.job(id)).toMatchObject({ state: 'running', items: { ok: 0 } });
  a.away = false;
  expect(await pool.ended(id)).toMatchObject({ items: { ok: 2 }, leases_granted: 1 });
});

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

it('W7: hands back unstarted items at once, and reports running items when they end', async () => {
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

it('W7: ends also when the control plane is unreachable', async () => {
  const pool = await TestPool.open();
  await submitJob(pool.store, { items: 1 });
  const runtime = scriptedRuntime({ hold: always });
  const a = pool.start('a', runtime, { concurrency: 1 });
  await until(() => runtime.running.length === 1);
  a.away = true;
  a.ask();
  runtime.release(0);
  await a.ended;
  expect(a.logged('report.abandoned')).toEqual([{ event: 'report.abandoned', tasks: 1 }]);
  expect(a.agent.state).toBe('stopped');
});

it('W1: sends heartbeats while the runtime is busy', async () => {
  const pool = await TestPool.open();
  await submitJob(pool.store, { items: 1 });
  const runtime = scriptedRuntime({ hold: always });
  const a = pool.start('a', runtime, { concurrency: 1, heartbeatMs: 10 });
  await until(() => runtime.running.length === 1);
  const beats = () => a.requests.filter((path) => path === '/v1/workers/heartbeat').length;
  const before = beats();
  await until(() => beats() > before + 5);
  const { workers } = await pool.client.call('listWorkers', {});
  expect(workers).toMatchObject([
    { worker_id: 'a', alive: true, job_types: ['noop'], models: ['noop'], concurrency: 1, lease_limit: 1 },
  ]);
  runtime.release(0);
});

it('records the models that really ran, and shows two builds under one alias', async () => {
  const pool = await TestPool.open();
  const id = await submitJob(pool.store, { items: 2, shardSize: 1, model: 'demo' });
  const build = (digest: string) =>
    scriptedRuntime({
      offers: [{ job_type: 'noop', model: 'demo' }],
      model: { name: 'demo:8b', digest },
      hold: always,
    });
  const [one, two] = [build('sha256:one'), build('sha256:two')];
  pool.start('a', one, { concurrency: 1, leaseRequestsAtMost: 1 });
  await until(() => one.running.length === 1);
  expect(await pool.job(id)).toMatchObject({ models_used: [], mixed_models: false });
  pool.start('b', two, { concurrency: 1 });
  one.release(0);
  two.release(1);
  expect(await pool.ended(id)).toMatchObject({
    mixed_models: true,
    models_used: expect.arrayContaining([
      { name: 'demo:8b', digest: 'sha256:one' },
      { name: 'demo:8b', digest: 'sha256:two' },
    ]) as unknown,
  });
  expect((await pool.results(id)).map(({ model_digest }) => model_digest)).toEqual([
    'sha256:one',
    'sha256:two',
  ]);
});
