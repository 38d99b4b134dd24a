import { decide } from '../lifecycle/decide.ts';
import type { TaskEvent } from '../lifecycle/event.ts';
import { newTask, type Task } from '../lifecycle/task.ts';
import { expire, fail, LEASE_MS, lease, release, report } from './events.ts';

/** An outcome in a worker's outbox, kept until it is acknowledged. */
interface Computed {
  readonly task: number;
  readonly attempt: number;
  readonly item: number;
}

interface WorkerModel {
  /** Leases it works on. A crash loses them. */
  readonly holds: readonly { readonly task: number; readonly attempt: number }[];
  /** Computed outcomes. A crash does not lose them. */
  readonly outbox: readonly Computed[];
}

/** A pool: stored tasks, their items' recorded outcomes, and workers that may crash. */
export interface Pool {
  readonly tasks: readonly Task[];
  /** For each task and item, the lease of its first outcome as `worker/attempt`, or null. */
  readonly outcomes: readonly (readonly (string | null)[])[];
  /** For each task, the worker of each granted lease. */
  readonly granted: readonly (readonly string[])[];
  readonly workers: Readonly<Record<string, WorkerModel>>;
}

export const poolOf = (itemCounts: readonly number[], workers: readonly string[]): Pool => ({
  tasks: itemCounts.map((count) => newTask(count, 'attempts')),
  outcomes: itemCounts.map((count) => Array.from({ length: count }, () => null)),
  granted: itemCounts.map(() => []),
  workers: Object.fromEntries(workers.map((worker) => [worker, { holds: [], outbox: [] }])),
});

const replaced = <T>(list: readonly T[], at: number, value: T): T[] =>
  list.map((each, i) => (i === at ? value : each));

function applied(pool: Pool, task: number, event: TaskEvent): Pool | null {
  const before = pool.tasks[task];
  if (before === undefined) return null;
  const decision = decide(before, event);
  return decision.ok ? { ...pool, tasks: replaced(pool.tasks, task, decision.task) } : null;
}

function withWorker(pool: Pool, name: string, change: (worker: WorkerModel) => WorkerModel): Pool {
  const worker = pool.workers[name];
  return worker === undefined ? pool : { ...pool, workers: { ...pool.workers, [name]: change(worker) } };
}

/** Applies a report as the store does: records the first outcome of each item, then updates the task. */
function reported(pool: Pool, worker: string, task: number, attempt: number, items: readonly number[]): Pool {
  const outcomes = pool.outcomes[task] ?? [];
  if (pool.granted[task]?.[attempt - 1] !== worker || pool.tasks[task]?.status === 'done') return pool;
  const fresh = items.filter((item) => outcomes[item] === null);
  const next = applied(pool, task, report(worker, attempt, fresh.length));
  if (next === null) return pool;
  const recorded = outcomes.map((each, item) => (fresh.includes(item) ? `${worker}/${attempt}` : each));
  return { ...next, outcomes: replaced(pool.outcomes, task, recorded) };
}

/** Yields every pool that one move of a worker, the network or the clock can produce. */
export function* moves(
  pool: Pool,
): Generator<{ readonly name: string; readonly next: Pool }, void, undefined> {
  for (const [task] of pool.tasks.entries()) {
    const expired = applied(pool, task, expire(LEASE_MS));
    if (expired !== null) yield { name: `expire ${task}`, next: expired };
  }
  for (const [name, worker] of Object.entries(pool.workers)) {
    for (const [task] of pool.tasks.entries()) {
      const leased = applied(pool, task, lease(name, 0));
      if (leased === null) continue;
      const attempt = leased.tasks[task]?.attempts ?? 0;
      const granted = {
        ...leased,
        granted: replaced(pool.granted, task, [...(pool.granted[task] ?? []), name]),
      };
      yield {
        name: `${name} leases ${task}`,
        next: withWorker(granted, name, (w) => ({ ...w, holds: [...w.holds, { task, attempt }] })),
      };
      // The reply is lost: the lease is granted and no worker knows of it.
      yield { name: `${name} leases ${task}, reply lost`, next: granted };
    }
    for (const held of worker.holds) {
      const { task, attempt } = held;
      const done = new Set(
        worker.outbox
          .filter((each) => each.task === task && each.attempt === attempt)
          .map(({ item }) => item),
      );
      const item = (pool.outcomes[task] ?? []).findIndex((_, i) => !done.has(i));
      if (item >= 0) {
        yield {
          name: `${name} computes ${task}.${item}`,
          next: withWorker(pool, name, (w) => ({ ...w, outbox: [...w.outbox, { task, attempt, item }] })),
        };
      }
      const without = (from: Pool) =>
        withWorker(from, name, (w) => ({ ...w, holds: w.holds.filter((each) => each !== held) }));
      yield {
        name: `${name} fails ${task}`,
        next: without(applied(pool, task, fail(name, attempt)) ?? pool),
      };
      yield {
        name: `${name} releases ${task}`,
        next: without(applied(pool, task, release(name, attempt)) ?? pool),
      };
    }
    if (worker.holds.length > 0)
      yield { name: `${name} crashes`, next: withWorker(pool, name, (w) => ({ ...w, holds: [] })) };
    const waiting = new Map(worker.outbox.map((each) => [`${each.task}/${each.attempt}`, each]));
    for (const { task, attempt } of waiting.values()) {
      const items = worker.outbox
        .filter((each) => each.task === task && each.attempt === attempt)
        .map(({ item }) => item);
      const next = reported(pool, name, task, attempt, items);
      yield { name: `${name} reports ${task}, answer lost`, next };
      const acknowledged = withWorker(next, name, (w) => ({
        holds: w.holds,
        outbox: w.outbox.filter((each) => each.task !== task || each.attempt !== attempt),
      }));
      yield { name: `${name} reports ${task}`, next: acknowledged };
    }
  }
}

/** Whether a worker that makes no mistake can still finish every task that has not failed. */
export function goodWorkerFinishes(pool: Pool): boolean {
  return pool.tasks.every((_, task) => {
    let now = pool;
    const expired = applied(now, task, expire(Number.MAX_SAFE_INTEGER));
    now = expired ?? now;
    const status = now.tasks[task]?.status;
    if (status === 'done' || status === 'failed') return true;
    const leased = applied(now, task, lease('good', 0));
    if (leased === null) return false;
    const attempt = leased.tasks[task]?.attempts ?? 0;
    const granted = {
      ...leased,
      granted: replaced(now.granted, task, [...(now.granted[task] ?? []), 'good']),
    };
    const items = (granted.outcomes[task] ?? []).map((__, item) => item);
    return reported(granted, 'good', task, attempt, items).tasks[task]?.status === 'done';
  });
}
