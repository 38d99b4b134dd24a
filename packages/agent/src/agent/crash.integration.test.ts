import { audit, submitJob } from '@macbatch/store/testing';
import { until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { type DyingRuntime, dyingRuntime } from '../testing/dying-runtime.ts';
import { scriptedRuntime } from '../testing/scripted-runtime.ts';
import { type TestAgent, TestPool } from '../testing/test-pool.ts';

async function submit(pool: TestPool, texts: readonly string[], shardSize: number): Promise<string> {
  const { job } = await pool.client.submit(async function* () {
    yield JSON.stringify({ job_type: 'embed', model: 'dying', shard_size: shardSize });
    for (const [n, text] of texts.entries()) yield JSON.stringify({ id: `i${n}`, payload: text });
  });
  return job.id;
}

const crashesOf = (agent: TestAgent, item: string) =>
  agent.logged('runtime.crashed').filter(({ item_id }) => item_id === item).length;

const companionsOf = ({ runs }: DyingRuntime, text: string) =>
  runs.filter((run) => run.text === text).map(({ concurrent }) => concurrent);

it('records an error only for the item that ends its process', async () => {
  const pool = await TestPool.open();
  const text = 'abort';
  const texts = ['a', 'b', text, 'c', 'd', 'e', 'f', 'g'];
  const id = await submit(pool, texts, 4);
  const runtime = dyingRuntime();
  const agent = pool.start('a', runtime, { concurrency: 4 });
  expect(await pool.ended(id)).toMatchObject({
    state: 'done',
    items: { ok: 7, error: 1, failed: 0 },
    tasks: { done: 2, failed: 0 },
    // Each task was leased once: no other worker was asked, and no attempt was charged.
    leases_granted: 2,
  });
  const results = await pool.results(id);
  expect(results.map(({ status }) => status)).toEqual(texts.map((each) => (each === text ? 'error' : 'ok')));
  expect(results[2]?.error).toMatchObject({
    code: 'runtime_crashed',
    message: expect.stringContaining('SIGABRT'),
  });
  // The item crashed once while three others ran, and three times alone. Each of the three crashed once with it.
  expect(companionsOf(runtime, text)).toEqual([4, 1, 1, 1]);
  expect(crashesOf(agent, 'i2')).toBe(4);
  for (const innocent of ['a', 'b', 'c']) expect(companionsOf(runtime, innocent)).toEqual([4, 1]);
  expect(agent.logged('runtime.crashed')).toHaveLength(4 + 3);
  const [task] = await pool.sql`select max(errors) as errors, max(returns) as returns from tasks`;
  expect(task).toEqual({ errors: 0, returns: 0 });
  expect(await audit(pool.url)).toEqual([]);
});

it('clears suspects of other tasks after they have succeeded alone', async () => {
  const pool = await TestPool.open();
  const id = await submit(pool, ['a', 'abort', 'b', 'c', 'd', 'e'], 1);
  const runtime = dyingRuntime();
  pool.start('a', runtime, { concurrency: 3, leaseLimit: 3 });
  expect(await pool.ended(id)).toMatchObject({
    items: { ok: 5, error: 1, failed: 0 },
    tasks: { done: 6, failed: 0 },
    leases_granted: 6,
  });
  expect(companionsOf(runtime, 'a')).toEqual([3, 1]);
});

it('starts a suspect only when the slots of all runtimes are empty', async () => {
  const pool = await TestPool.open();
  const other = await submitJob(pool.store, { items: 1 });
  const bystander = scriptedRuntime({ hold: () => true });
  const runtime = dyingRuntime();
  const agent = pool.start('a', bystander, { concurrency: 3, runtimes: [bystander, runtime] });
  await until(() => bystander.running.length === 1);
  const id = await submit(pool, ['a', 'abort'], 2);
  await until(() => agent.logged('runtime.crashed').length === 2);
  // The worker fills its empty slots after each heartbeat. It would start the suspect then.
  const beats = () => agent.requests.filter((path) => path === '/v1/workers/heartbeat').length;
  const before = beats();
  await until(() => beats() > before + 3);
  expect(runtime.runs).toHaveLength(2);

  bystander.release(0);
  expect(await pool.ended(other)).toMatchObject({ items: { ok: 1 } });
  expect(await pool.ended(id)).toMatchObject({ items: { ok: 1, error: 1 } });
});

it('runs an item alone that crashes while others run, and records its output', async () => {
  const pool = await TestPool.open();
  const id = await submit(pool, ['a', 'die-in-company', 'b'], 3);
  const runtime = dyingRuntime();
  const agent = pool.start('a', runtime, { concurrency: 3 });
  expect(await pool.ended(id)).toMatchObject({ items: { ok: 3, error: 0 }, leases_granted: 1 });
  expect(crashesOf(agent, 'i1')).toBe(1);
  expect(companionsOf(runtime, 'die-in-company')).toEqual([3, 1]);
});

it('records an error for each of two items that always crash, after four crashes', async () => {
  const pool = await TestPool.open();
  const id = await submit(pool, ['exit', 'kill', 'a', 'b', 'c', 'd'], 3);
  const agent = pool.start('a', dyingRuntime(), { concurrency: 2 });
  expect(await pool.ended(id)).toMatchObject({ items: { ok: 4, error: 2, failed: 0 } });
  expect([crashesOf(agent, 'i0'), crashesOf(agent, 'i1')]).toEqual([4, 4]);
  const [exited, killed] = await pool.results(id);
  expect(exited?.error).toMatchObject({ message: expect.stringContaining('code 3') });
  expect(killed?.error).toMatchObject({ message: expect.stringContaining('SIGKILL') });
});

it('hands back all items when each of them crashes the runtime, and charges no attempt', async () => {
  const pool = await TestPool.open();
  const id = await submit(pool, ['abort 1', 'abort 2', 'abort 3', 'abort 4'], 4);
  const agent = pool.start('a', dyingRuntime(), { concurrency: 4, leaseRequestsAtMost: 1 });
  await until(() => agent.logged('task.not_here').length > 0);
  await until(async () => (await pool.job(id)).tasks.pending === 1);
  expect(await pool.job(id)).toMatchObject({ items: { error: 0, failed: 0, open: 4 } });
  const [task] = await pool.sql`select attempts - returns as charged, errors from tasks`;
  expect(task).toEqual({ charged: 0, errors: 0 });
});

it('hands back all items when the runtime’s process does not start', async () => {
  const pool = await TestPool.open();
  const id = await submit(pool, ['a', 'b', 'c'], 3);
  const agent = pool.start('a', dyingRuntime('abort-at-start'), { concurrency: 2 });
  await until(() => agent.logged('task.not_here').length > 0);
  expect(agent.logged('task.not_here')[0]).toMatchObject({ code: 'runtime_does_not_start' });
  expect(agent.logged('runtime.crashed')).toEqual([]);
  await until(async () => (await pool.client.call('listWorkers', {})).workers[0]?.models.length === 0);

  pool.start('b', dyingRuntime());
  expect(await pool.ended(id)).toMatchObject({ state: 'done', items: { ok: 3 } });
  const [task] = await pool.sql`select attempts - returns as charged, errors from tasks`;
  expect(task).toEqual({ charged: 1, errors: 0 });
});

it('W7: hands back suspects on a drain, and another worker runs them', async () => {
  const pool = await TestPool.open();
  const id = await submit(pool, ['die-in-company', 'a'], 2);
  const agent = pool.start('a', dyingRuntime(), {
    concurrency: 2,
    log: (event) => {
      if (event === 'runtime.crashed') agent.ask();
    },
  });
  await agent.ended;
  expect(await pool.job(id)).toMatchObject({ items: { open: 2 }, tasks: { pending: 1 } });
  pool.start('b', dyingRuntime(), { concurrency: 1 });
  expect(await pool.ended(id)).toMatchObject({ items: { ok: 2 }, lease_expired_events: 0 });
});
