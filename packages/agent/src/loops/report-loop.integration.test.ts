import { Client } from '@macbatch/client';
import type { LeasedTask, LeaseName, Outcome } from '@macbatch/contract';
import { audit, submitJob } from '@macbatch/store/testing';
import { until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { type Logged, TestPool } from '../testing/test-pool.ts';
import type { Effect } from '../worker/effect.ts';
import type { ItemEnd } from '../worker/item-end.ts';
import { PAUSES } from '../worker/pauses.ts';
import { sleep } from './backoff.ts';
import { Recovery } from './recovery.ts';
import { ReportLoop } from './report-loop.ts';
import { WorkerMachine } from './worker-machine.ts';

const never = new AbortController().signal;
const finished = AbortSignal.abort();
const REPORT_MS = 10_000;

interface Shape {
  readonly items: number;
  readonly shardSize: number;
  readonly slots?: number;
  readonly maxJsonBytes?: number;
}

/** A pool, a worker that has leased all tasks of a job, and its report loop. The test ends the items. */
async function leased(shape: Shape) {
  const { maxJsonBytes } = shape;
  const pool = await TestPool.open(maxJsonBytes === undefined ? {} : { maxJsonBytes });
  const id = await submitJob(pool.store, { items: shape.items, shardSize: shape.shardSize });
  const offers = [{ job_type: 'noop', model: 'noop' } as const];
  const { tasks } = await pool.client.call('leaseTasks', {
    body: { worker_id: 'a', boot_id: 'b', lease_limit: 1000, offers },
  });
  const log: Logged[] = [];
  const acknowledged: LeaseName[] = [];
  const sent: { readonly path: string; readonly entries: number }[] = [];
  const runs = new Map<string, number>();
  const reach: { away: boolean; internalErrorFor: string | null; unreadableReplyTo: string | null } = {
    away: false,
    internalErrorFor: null,
    unreadableReplyTo: null,
  };
  const client = new Client({
    baseUrl: 'http://control.test',
    retries: 0,
    async fetch(url, init) {
      const body = JSON.parse(String(init.body)) as { entries?: unknown[]; tasks?: unknown[] };
      sent.push({ path: new URL(url).pathname, entries: (body.entries ?? body.tasks ?? []).length });
      if (reach.away) throw new TypeError('fetch failed');
      if (reach.internalErrorFor !== null && String(init.body).includes(reach.internalErrorFor)) {
        const problem = {
          type: 'x',
          title: 'Internal error',
          status: 500,
          detail: 'broken',
          code: 'internal',
        };
        return new Response(JSON.stringify(problem), { status: 500 });
      }
      const response = await pool.request(url, init);
      if (reach.unreadableReplyTo === null) return response;
      const reply = (await response.json()) as { entries: { task_id: string }[] };
      const entries = reply.entries.map((entry) =>
        entry.task_id === reach.unreadableReplyTo ? { ...entry, code: 'a_newer_code' } : entry,
      );
      return new Response(JSON.stringify({ entries }), { headers: response.headers });
    },
  });
  const perform = (effect: Effect): void => {
    if (effect.kind === 'start_item') runs.set(`${effect.lease.task_id}/${effect.item.item_id}`, effect.run);
    if (effect.kind === 'save_outcome') machine.dispatch({ kind: 'outcome_saved', run: effect.run });
    if (effect.kind === 'forget_lease') acknowledged.push(effect.lease);
    if (effect.kind === 'send_report') reports.send(effect);
    if (effect.kind === 'report_at') reports.wake();
    if (effect.kind === 'log') log.push({ event: effect.event, ...effect.fields });
  };
  const machine = new WorkerMachine(
    {
      workerId: 'a',
      slots: shape.slots ?? 1000,
      heartbeatMs: 60_000,
      reportMs: REPORT_MS,
      runtimes: [{ name: 'noop', offers, remote: false }],
      pauses: { ...PAUSES, retryMs: 0, lonePatienceMs: 0 },
      afterCrash: false,
      crashedItems: [],
      hasFormerBoots: false,
    },
    () => Date.now(),
    perform,
  );
  const reports = new ReportLoop({
    options: {
      client,
      workerId: 'a',
      log: (event, fields = {}) => log.push({ event, ...fields }),
      random: () => 0.5,
      sleep: (ms, signal) => sleep(Math.min(ms, 10), signal),
      now: () => Date.now(),
    },
    machine,
    recovery: new Recovery(),
  });
  machine.dispatch({ kind: 'leased', tasks, sentAt: Date.now() });

  function end(task: LeasedTask, index: number, how: ItemEnd): void {
    const run = runs.get(`${task.task_id}/${task.items[index]?.item_id}`);
    if (run === undefined) throw new Error(`item ${index} of task ${task.task_id} has not been started`);
    machine.dispatch({ kind: 'item_ended', run, end: how });
  }
  return {
    pool,
    id,
    tasks,
    machine,
    reports,
    acknowledged,
    sent,
    reach,
    end,
    /** Ends items of a task with outputs of this size; all of them if none are named. */
    succeed(task: LeasedTask, outputBytes = 1, indexes: readonly number[] = [...task.items.keys()]) {
      for (const index of indexes) end(task, index, ok(task, index, outputBytes));
    },
    logged: (event: string) => log.filter((each) => each.event === event),
  };
}

const ok = (task: LeasedTask, index: number, outputBytes = 1): ItemEnd => ({
  kind: 'outcome',
  outcome: {
    item_id: task.items[index]?.item_id ?? `item ${index}`,
    output: JSON.stringify('x'.repeat(outputBytes)),
  },
});

const namesOf = (tasks: readonly LeaseName[]) => tasks.map(({ task_id, attempt }) => ({ task_id, attempt }));

/** The first tasks, by these names. The test fails if there are fewer. */
function first<Names extends readonly string[]>(tasks: readonly LeasedTask[], ...names: Names) {
  return Object.fromEntries(
    names.map((name, index) => {
      const task = tasks[index];
      if (task === undefined) throw new Error(`there is no task for ${name}`);
      return [name, task];
    }),
  ) as { readonly [Name in Names[number]]: LeasedTask };
}

it('W4: reports what ended together in one call, a hundred tasks at most', async () => {
  const { pool, id, tasks, reports, acknowledged, sent, succeed } = await leased({
    items: 250,
    shardSize: 1,
  });
  for (const task of tasks) succeed(task);
  await reports.run(finished, never);
  expect(sent.map(({ entries }) => entries)).toEqual([100, 100, 50]);
  expect(acknowledged).toEqual(namesOf(tasks));
  expect(await pool.job(id)).toMatchObject({ state: 'done', items: { ok: 250 } });
});

it('W4: limits a report to about a megabyte, but sends at least one task', async () => {
  const { pool, id, tasks, reports, sent, succeed } = await leased({ items: 6, shardSize: 1 });
  for (const [n, task] of tasks.entries()) succeed(task, n === 0 ? 3_000_000 : 400_000);
  await reports.run(finished, never);
  expect(sent.map(({ entries }) => entries)).toEqual([1, 2, 2, 1]);
  expect(await pool.job(id)).toMatchObject({ items: { ok: 6 } });
});

it('W4: splits a refused report until only the outcome that is too large is refused', async () => {
  const { pool, id, tasks, reports, acknowledged, succeed, logged } = await leased({
    items: 9,
    shardSize: 3,
    maxJsonBytes: 2000,
  });
  const { small, large, hopeless } = first(tasks, 'small', 'large', 'hopeless');
  succeed(small);
  succeed(large, 1200);
  succeed(hopeless, 1, [0]);
  succeed(hopeless, 3000, [1]);
  succeed(hopeless, 1, [2]);
  await reports.run(finished, never);
  expect(acknowledged).toEqual(namesOf(tasks));
  expect(logged('report.refused')).toEqual([]);
  expect(await pool.job(id)).toMatchObject({
    state: 'done',
    items: { ok: 8, error: 1 },
    tasks: { done: 3 },
  });
  expect((await pool.results(id))[7]).toMatchObject({ id: 'item-7', error: { code: 'output_too_large' } });
  expect(await audit(pool.url)).toEqual([]);
});

it('T6: sends the error of a task with the last part of a report that is too large', async () => {
  const { pool, id, tasks, reports, succeed, end } = await leased({
    items: 3,
    shardSize: 3,
    maxJsonBytes: 2000,
  });
  const { task } = first(tasks, 'task');
  succeed(task, 1200, [0, 2]);
  const broken = {
    kind: 'failed',
    failure: 'transient',
    error: { code: 'broken', message: 'it broke' },
  } as const;
  for (let tries = 0; tries < 3; tries += 1)
    end(task, 1, { ...broken, retryAfterMs: null, bytesArrived: false, jitter: 0.5 });
  await reports.run(finished, never);
  expect(await pool.job(id)).toMatchObject({ items: { ok: 2, open: 1 }, tasks: { pending: 1 } });
  const [row] = await pool.sql<{ errors: number }[]>`select errors from tasks`;
  expect(row).toEqual({ errors: 1 });
});

it('W4: reports the other tasks when one entry is refused', async () => {
  const { pool, id, tasks, reports, acknowledged, succeed, end, logged } = await leased({
    items: 2,
    shardSize: 1,
  });
  const { bad, good } = first(tasks, 'bad', 'good');
  end(bad, 0, { kind: 'outcome', outcome: { item_id: 'item-1', output: '1' } });
  succeed(good);
  await reports.run(finished, never);
  expect(acknowledged).toEqual(namesOf(tasks));
  expect(logged('task.reported')).toMatchObject([
    { outcome: 'refused', code: 'unknown_item' },
    { outcome: 'accepted', task_status: 'pending' },
    { outcome: 'accepted', task_status: 'done' },
  ]);
  // Nothing says how its item ended, so the task has failed once.
  expect(await pool.job(id)).toMatchObject({ items: { ok: 1, open: 1 }, tasks: { pending: 1 } });
});

it.each<[string, Extract<Outcome, { output: string }>, string]>([
  [
    'a model name that is too long',
    { item_id: '', output: '1', model: { name: 'm'.repeat(501), digest: null } },
    'invalid_entry',
  ],
  ['an output that is not JSON', { item_id: '', output: 'yes' }, 'invalid_output'],
])('A3: loses only the outcome with %s, whose item ends with an error', async (_what, bad, code) => {
  const { pool, id, tasks, reports, acknowledged, succeed, end, logged } = await leased({
    items: 14,
    shardSize: 7,
  });
  const { mixed, good } = first(tasks, 'mixed', 'good');
  succeed(mixed, 1, [0, 1, 2, 3, 4, 6]);
  end(mixed, 5, { kind: 'outcome', outcome: { ...bad, item_id: 'item-5' } });
  succeed(good);
  await reports.run(finished, never);
  expect(acknowledged).toEqual(namesOf(tasks));
  expect(logged('report.refused')).toEqual([]);
  expect(await pool.job(id)).toMatchObject({
    state: 'done',
    items: { ok: 13, error: 1 },
    tasks: { done: 2 },
  });
  expect((await pool.results(id))[5]).toMatchObject({
    id: 'item-5',
    error: { code: 'outcome_not_recorded', message: expect.stringContaining(code) as string },
  });
  expect(await audit(pool.url)).toEqual([]);
});

it('A3: continues a running task after the control plane refused one of its outcomes', async () => {
  const { pool, id, tasks, machine, reports, succeed, end } = await leased({
    items: 3,
    shardSize: 3,
    slots: 1,
  });
  const { task } = first(tasks, 'task');
  end(task, 0, { kind: 'outcome', outcome: { item_id: 'item-0', output: 'not JSON' } });
  const ended = new AbortController();
  const running = reports.run(ended.signal, never);
  machine.dispatch({ kind: 'report_due' });
  reports.wake();
  succeed(task, 1, [1]);
  succeed(task, 1, [2]);
  ended.abort();
  await running;
  expect(await pool.job(id)).toMatchObject({ state: 'done', items: { ok: 2, error: 1 } });
});

it('A2: loses only the entry of a reply that cannot be read', async () => {
  const { pool, id, tasks, reports, acknowledged, reach, succeed, logged } = await leased({
    items: 3,
    shardSize: 1,
  });
  reach.unreadableReplyTo = first(tasks, 'first').first.task_id;
  for (const task of tasks) succeed(task);
  await reports.run(finished, never);
  expect(logged('report.unreadable')).toMatchObject([{ path: 'entries[0].code' }]);
  expect(logged('report.delayed')).toEqual([]);
  expect(acknowledged).toEqual(namesOf(tasks));
  expect(await pool.job(id)).toMatchObject({ items: { ok: 3 } });
});

it('W6: blames an outcome for an internal error of the control plane only after three calls', async () => {
  const { pool, id, tasks, reports, reach, succeed, logged } = await leased({ items: 2, shardSize: 2 });
  const { task } = first(tasks, 'task');
  reach.internalErrorFor = 'xxxxx';
  succeed(task, 1, [0]);
  succeed(task, 5, [1]);
  await reports.run(finished, never);
  expect(logged('report.delayed')).toHaveLength(2);
  expect((await pool.results(id)).map(({ status, error }) => error?.code ?? status)).toEqual([
    'ok',
    'outcome_not_recorded',
  ]);
});

it('W6: keeps all outcomes while the control plane fails every report', async () => {
  const { pool, id, tasks, reports, reach, succeed, logged } = await leased({ items: 2, shardSize: 2 });
  const { task } = first(tasks, 'task');
  reach.internalErrorFor = 'outcomes';
  succeed(task);
  const ended = new AbortController();
  const running = reports.run(ended.signal, never);
  ended.abort();
  await until(() => logged('report.delayed').length > 8);
  reach.internalErrorFor = null;
  await running;
  expect(await pool.job(id)).toMatchObject({ state: 'done', items: { ok: 2 } });
});

it('W4: sends complete tasks and outcomes of running ones together, once nothing is left to start', async () => {
  const { tasks, reports, sent, acknowledged, succeed } = await leased({ items: 8, shardSize: 2, slots: 2 });
  const { one, two, half, last } = first(tasks, 'one', 'two', 'half', 'last');
  const ended = new AbortController();
  const running = reports.run(ended.signal, never);
  succeed(one);
  succeed(two);
  succeed(half, 1, [0]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toEqual([]);
  succeed(last, 1, [0]);
  await until(() => acknowledged.length === 2);
  expect(sent).toEqual([{ path: '/v1/tasks/complete_batch', entries: 4 }]);
  ended.abort();
  await running;
});

it('W6: keeps a report until the control plane has answered', async () => {
  const { pool, id, tasks, reports, acknowledged, reach, succeed, logged } = await leased({
    items: 2,
    shardSize: 1,
  });
  const ended = new AbortController();
  reach.away = true;
  const running = reports.run(ended.signal, never);
  for (const task of tasks) succeed(task);
  await until(() => logged('report.delayed').length > 2);
  expect(acknowledged).toEqual([]);
  reach.away = false;
  ended.abort();
  await running;
  expect(acknowledged).toEqual(namesOf(tasks));
  expect(await pool.job(id)).toMatchObject({ state: 'done' });
});

it('W7: reports a task that is handed back, then releases it, and releases no lost lease', async () => {
  const { pool, id, tasks, machine, reports, sent, acknowledged, succeed, end } = await leased({
    items: 6,
    shardSize: 2,
    slots: 1,
  });
  const { half, untouched, lost } = first(tasks, 'half', 'untouched', 'lost');
  succeed(half, 1, [0]);
  machine.dispatch({
    kind: 'heartbeat_answered',
    plan: {
      renews: machine.state.tasks.map(({ lease, number }) => ({ ...lease, task: number })),
      suspects: [],
      returnsFormerBoots: false,
    },
    sentAt: Date.now(),
    reply: { deployment_id: 'd', lost: [{ ...lost, code: 'lease_lost' }], settled: [] },
  });
  machine.dispatch({ kind: 'drain' });
  end(half, 1, { kind: 'aborted' });
  await reports.run(finished, never);
  expect(sent).toEqual([
    { path: '/v1/tasks/complete_batch', entries: 1 },
    { path: '/v1/tasks/release', entries: 2 },
  ]);
  expect(acknowledged).toEqual(namesOf([lost, untouched, half]));
  expect(await pool.job(id)).toMatchObject({ items: { ok: 1 }, tasks: { pending: 2, leased: 1 } });
});

it('W7: says how many reports are left when it gives up', async () => {
  const { tasks, reports, reach, succeed, logged, acknowledged } = await leased({ items: 2, shardSize: 1 });
  const giveUp = new AbortController();
  reach.away = true;
  for (const task of tasks) succeed(task);
  const running = reports.run(finished, giveUp.signal);
  await until(() => logged('report.delayed').length > 0);
  giveUp.abort();
  await running;
  expect(logged('report.abandoned')).toEqual([{ event: 'report.abandoned', tasks: 2 }]);
  expect(acknowledged).toEqual([]);
});
