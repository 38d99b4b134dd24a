import { audit, submitJob } from '@macbatch/store/testing';
import { until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { scriptedRuntime } from '../testing/scripted-runtime.ts';
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
    // A released item stays in `running` for a moment and must not be released twice.
    const released = new Set<number>();
    const held = () => runtime.running.filter((n) => !released.has(n));
    for (let ended = 0; ended < items; ended += 1) {
      // A free slot is filled while the other items still run.
      await until(() => held().length === Math.min(concurrency, items - ended));
      const next = held()[ended % 2] ?? held()[0] ?? -1;
      released.add(next);
      runtime.release(next);
    }
    expect(await pool.ended(id)).toMatchObject({ items: { ok: items } });
    expect(runtime.started).toHaveLength(items);
  },
);

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
