import { Client } from '@macbatch/client';
import { audit, submitJob } from '@macbatch/store/testing';
import { until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { type Logged, TestPool } from '../testing/test-pool.ts';
import { HeldTask } from '../worker/held-task.ts';
import type { Reportable } from '../worker/reportable.ts';
import { sleep } from './backoff.ts';
import { Reporter } from './reporter.ts';

const never = new AbortController().signal;

/** A pool, tasks that a worker has leased from it, and a reporter for them. */
async function leased(shape: {
  readonly items: number;
  readonly shardSize: number;
  readonly maxJsonBytes?: number;
}) {
  const pool = await TestPool.open(
    shape.maxJsonBytes === undefined ? {} : { maxJsonBytes: shape.maxJsonBytes },
  );
  const id = await submitJob(pool.store, { items: shape.items, shardSize: shape.shardSize });
  const reply = await pool.client.call('leaseTasks', {
    body: {
      worker_id: 'a',
      boot_id: 'b',
      lease_limit: 1000,
      offers: [{ job_type: 'noop', model: 'noop' }],
    },
  });
  const tasks = reply.tasks.map((lease) => new HeldTask(lease, Number.POSITIVE_INFINITY));
  for (const task of tasks) task.startNoMore();
  const log: Logged[] = [];
  const settled: Reportable[] = [];
  const sent: { readonly path: string; readonly entries: number }[] = [];
  const reach = { away: false };
  const reporter = new Reporter({
    client: new Client({
      baseUrl: 'http://control.test',
      retries: 0,
      fetch(url, init) {
        const { entries, tasks: names } = JSON.parse(String(init.body)) as {
          entries?: unknown[];
          tasks?: unknown[];
        };
        sent.push({ path: new URL(url).pathname, entries: (entries ?? names ?? []).length });
        if (reach.away) throw new TypeError('fetch failed');
        return pool.request(url, init);
      },
    }),
    workerId: 'a',
    log: (event, fields = {}) => log.push({ event, ...fields }),
    random: () => 0.5,
    sleep: (ms, signal) => sleep(Math.min(ms, 10), signal),
    now: () => Date.now(),
    reportMs: 10_000,
    onUnwanted: () => undefined,
    onItemsSettled: () => undefined,
    onSent: () => undefined,
    onSettled: (task) => settled.push(task),
  });
  const logged = (event: string) => log.filter((each) => each.event === event);
  return { pool, id, tasks, reporter, settled, sent, reach, logged };
}

/** Lets every item of a task have an outcome of this size. */
function succeed(task: HeldTask, outputBytes = 1): void {
  for (const { item_id } of task.lease.items) {
    task.outcomes.push({ item_id, output: JSON.stringify('x'.repeat(outputBytes)) });
  }
}

const ended = AbortSignal.abort();

it('W4: what ended together is reported together, a hundred tasks at most', async () => {
  const { pool, id, tasks, reporter, settled, sent } = await leased({ items: 250, shardSize: 1 });
  for (const task of tasks) succeed(task);
  for (const task of tasks) reporter.add(task);
  await reporter.run(ended, never);
  expect(sent.map(({ entries }) => entries)).toEqual([100, 100, 50]);
  expect(settled).toEqual(tasks);
  expect(await pool.job(id)).toMatchObject({ state: 'done', items: { ok: 250 } });
});

it('a report holds about a megabyte at most, but always a task', async () => {
  const { pool, id, tasks, reporter, sent } = await leased({ items: 6, shardSize: 1 });
  for (const [n, task] of tasks.entries()) succeed(task, n === 0 ? 3_000_000 : 400_000);
  for (const task of tasks) reporter.add(task);
  await reporter.run(ended, never);
  expect(sent.map(({ entries }) => entries)).toEqual([1, 2, 2, 1]);
  expect(await pool.job(id)).toMatchObject({ items: { ok: 6 } });
});

it('a report that is refused as a whole is sent again in parts, down to the one that can’t be taken', async () => {
  const { pool, id, tasks, reporter, settled, logged } = await leased({
    items: 9,
    shardSize: 3,
    maxJsonBytes: 2000,
  });
  const [small, large, hopeless] = tasks;
  if (small === undefined || large === undefined || hopeless === undefined) throw new Error('three tasks');
  succeed(small);
  succeed(large, 1200);
  succeed(hopeless);
  hopeless.outcomes.splice(1, 1, { item_id: 'item-7', output: JSON.stringify('x'.repeat(3000)) });
  for (const task of tasks) reporter.add(task);
  await reporter.run(ended, never);
  expect(settled).toEqual(tasks);
  expect(logged('report.refused')).toEqual([]);
  expect(await pool.job(id)).toMatchObject({
    state: 'done',
    items: { ok: 8, error: 1 },
    tasks: { done: 3 },
  });
  expect((await pool.results(id))[7]).toMatchObject({ id: 'item-7', error: { code: 'output_too_large' } });
  expect(await audit(pool.url)).toEqual([]);
});

it('an error that comes with too many outcomes is reported with the last of them', async () => {
  const { pool, id, tasks, reporter } = await leased({ items: 3, shardSize: 3, maxJsonBytes: 2000 });
  const [task] = tasks;
  if (task === undefined) throw new Error('one task');
  for (const n of [0, 2]) {
    task.outcomes.push({ item_id: `item-${n}`, output: JSON.stringify('x'.repeat(1200)) });
  }
  task.failed({ code: 'broken', message: 'it broke' });
  reporter.add(task);
  await reporter.run(ended, never);
  expect(await pool.job(id)).toMatchObject({ items: { ok: 2, open: 1 }, tasks: { pending: 1 } });
  const [row] = await pool.sql<{ errors: number }[]>`select errors from tasks`;
  expect(row).toEqual({ errors: 1 });
});

it('what is not taken at all is left, and the others are reported', async () => {
  const { pool, id, tasks, reporter, settled, logged } = await leased({ items: 2, shardSize: 1 });
  const [bad, good] = tasks;
  if (bad === undefined || good === undefined) throw new Error('two tasks');
  bad.outcomes.push({ item_id: 'item-1', output: '1' });
  succeed(good);
  for (const task of tasks) reporter.add(task);
  await reporter.run(ended, never);
  expect(settled).toEqual(tasks);
  expect(logged('task.reported')).toMatchObject([
    { outcome: 'refused', code: 'unknown_item' },
    { outcome: 'accepted' },
  ]);
  expect(await pool.job(id)).toMatchObject({ items: { ok: 1, open: 1 } });
});

it('W4: complete tasks and the outcomes of running ones go together, after a while or once nothing is left', async () => {
  const { tasks, reporter, sent, settled } = await leased({ items: 6, shardSize: 2 });
  const [first, second, half] = tasks;
  if (first === undefined || second === undefined || half === undefined) throw new Error('three tasks');
  const finished = new AbortController();
  const running = reporter.run(finished.signal, never);
  for (const task of [first, second]) {
    succeed(task);
    reporter.addComplete(task);
  }
  half.outcomes.push({ item_id: 'item-4', output: '1' });
  reporter.note(half);
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toEqual([]);
  reporter.flush();
  await until(() => settled.length === 2);
  expect(sent).toEqual([{ path: '/v1/tasks/complete_batch', entries: 3 }]);
  finished.abort();
  await running;
});

it('a report is kept until the control plane has answered', async () => {
  const { pool, id, tasks, reporter, settled, reach, logged } = await leased({ items: 2, shardSize: 1 });
  const finished = new AbortController();
  reach.away = true;
  const running = reporter.run(finished.signal, never);
  for (const task of tasks) {
    succeed(task);
    reporter.add(task);
  }
  await until(() => logged('report.delayed').length > 2);
  expect(settled).toEqual([]);
  reach.away = false;
  finished.abort();
  await running;
  expect(settled).toEqual(tasks);
  expect(await pool.job(id)).toMatchObject({ state: 'done' });
});

it('what is handed back half done is reported, then released; of what is lost nothing is released', async () => {
  const { pool, id, tasks, reporter, sent, settled } = await leased({ items: 6, shardSize: 2 });
  const [half, untouched, lost] = tasks;
  if (half === undefined || untouched === undefined || lost === undefined) throw new Error('three tasks');
  half.outcomes.push({ item_id: 'item-0', output: '1' });
  for (const task of tasks) task.handBack = true;
  lost.lost = true;
  for (const task of tasks) reporter.add(task);
  await reporter.run(ended, never);
  expect(sent).toEqual([
    { path: '/v1/tasks/complete_batch', entries: 1 },
    { path: '/v1/tasks/release', entries: 2 },
  ]);
  expect(settled).toEqual(tasks);
  expect(await pool.job(id)).toMatchObject({ items: { ok: 1 }, tasks: { pending: 2, leased: 1 } });
});

it('who gives up says how much is left unreported', async () => {
  const { tasks, reporter, reach, logged, settled } = await leased({ items: 2, shardSize: 1 });
  const giveUp = new AbortController();
  reach.away = true;
  for (const task of tasks) reporter.add(task);
  for (const task of tasks) succeed(task);
  const running = reporter.run(ended, giveUp.signal);
  await until(() => logged('report.delayed').length > 0);
  giveUp.abort();
  await running;
  expect(logged('report.abandoned')).toEqual([{ event: 'report.abandoned', tasks: 2 }]);
  expect(settled).toEqual([]);
});
