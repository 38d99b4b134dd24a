import { Client } from '@macbatch/client';
import type { LeasedTask, LeaseName } from '@macbatch/contract';
import { submitJob } from '@macbatch/store/testing';
import { sleep } from '../loops/backoff.ts';
import { Recovery } from '../loops/recovery.ts';
import { ReportLoop } from '../loops/report-loop.ts';
import { WorkerMachine } from '../loops/worker-machine.ts';
import type { Effect } from '../worker/effect.ts';
import type { ItemEnd } from '../worker/item-end.ts';
import { PAUSES } from '../worker/pauses.ts';
import { type Logged, TestPool } from './test-pool.ts';

export const never: AbortSignal = new AbortController().signal;
export const finished: AbortSignal = AbortSignal.abort();
const REPORT_MS = 10_000;

interface Shape {
  readonly items: number;
  readonly shardSize: number;
  readonly slots?: number;
  readonly maxJsonBytes?: number;
}

/** A pool, a worker that has leased all tasks of a job, and its report loop. The test ends the items. */
export async function leased(shape: Shape) {
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

export const namesOf = (tasks: readonly LeaseName[]) =>
  tasks.map(({ task_id, attempt }) => ({ task_id, attempt }));

/** The first tasks, by these names. The test fails if there are fewer. */
export function first<Names extends readonly string[]>(tasks: readonly LeasedTask[], ...names: Names) {
  return Object.fromEntries(
    names.map((name, index) => {
      const task = tasks[index];
      if (task === undefined) throw new Error(`there is no task for ${name}`);
      return [name, task];
    }),
  ) as { readonly [Name in Names[number]]: LeasedTask };
}
