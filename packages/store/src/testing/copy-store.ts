import type { LeasedTask } from '../leasing/lease.ts';
import type { Store } from '../store.ts';
import { type FileStore, fileStore } from './file-store.ts';
import { leaseTasks, NOOP, submitJob, success } from './index.ts';

export interface Ask {
  readonly rate?: number | null;
  readonly slots?: number;
  readonly copies?: boolean;
  readonly boot?: string;
  readonly again?: boolean;
}

/** A store for a test file, and what tests of copies ask of it. */
export function copyStore() {
  // At each look at it so much time has passed that nothing is remembered.
  let clockMs = 0;
  const monotonicMs = () => {
    clockMs += 2000;
    return clockMs;
  };
  const db = fileStore({ monotonicMs });

  async function ask(worker: string, over: Ask = {}, store: Store = db.store): Promise<LeasedTask[]> {
    const { tasks } = await store.lease({
      worker,
      boot: over.boot ?? `boot-of-${worker}`,
      limit: null,
      slots: over.slots ?? 1,
      offers: [{ ...NOOP[0], itemsPerSecond: over.rate ?? null }],
      renews: true,
      copies: over.copies ?? true,
      again: over.again ?? false,
    });
    return tasks;
  }
  /** Reports items of a task. */
  const bring = (worker: string, task: LeasedTask, ...items: readonly number[]) =>
    db.store.report(worker, [
      {
        taskId: task.taskId,
        attempt: task.attempt,
        outcomes: items.map((n) => success(item(n))),
        final: false,
        error: null,
      },
    ]);
  const loseCopies = async () => {
    await db.sql`update copies set lease_until = now() - interval '1 hour' where ended is null`;
    return db.store.reclaim({ force: true });
  };
  const countsOf = async (task: LeasedTask) => {
    const [row] = await db.sql<
      { status: string; attempts: number; expiries: number; assigned_worker: string | null }[]
    >`
      select status, attempts, expiries, assigned_worker from tasks where id = ${task.taskId}`;
    return row;
  };
  /** A job of one task that ann holds, with as many items. */
  async function heldByAnn(items: number): Promise<{ readonly id: string; readonly task: LeasedTask }> {
    const id = await submitJob(db.store, { items, shardSize: items });
    const [task] = await leaseTasks(db.store, 'ann');
    if (task === undefined) throw new Error('ann was given nothing');
    return { id, task };
  }
  /** The copy that a worker is given; the test fails where it is given none. */
  async function copyFor(worker: string, over: Ask = {}): Promise<LeasedTask> {
    const [task] = await ask(worker, over);
    if (task === undefined) throw new Error(`${worker} was given nothing`);
    return task;
  }

  return { db, monotonicMs, ask, bring, loseCopies, countsOf, heldByAnn, copyFor };
}

export const idsOf = (tasks: readonly LeasedTask[]) =>
  tasks.flatMap((task) => task.items.map(({ itemId }) => itemId));
export const item = (n: number) => `item-${n}`;
/** Resolves when somebody waits for a lock. */
export async function lockWaits(sql: FileStore['sql']): Promise<void> {
  for (;;) {
    const waiting =
      await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    if (waiting.length > 0) return;
  }
}
