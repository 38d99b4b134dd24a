import type { Store } from '../store.ts';
import type { LeasedTask } from '../tasks/leased-tasks.ts';
import { sharedStore } from './shared-store.ts';
import { leaseTasks, NOOP_OFFER, submitJob, success } from './submitted-job.ts';

export interface IdleWorker {
  readonly rate?: number | null;
  readonly slots?: number;
  readonly acceptsCopies?: boolean;
  readonly boot?: string;
  readonly repeated?: boolean;
}

/** A store for a test file, with the calls that tests of copies need. */
export function copyStore() {
  // Every cache is too old at each call.
  let clockMs = 0;
  const monotonicMs = () => {
    clockMs += 2000;
    return clockMs;
  };
  const db = sharedStore({ monotonicMs });

  /** Asks for work that can be a copy. */
  async function lease(
    worker: string,
    over: IdleWorker = {},
    store: Store = db.store,
  ): Promise<LeasedTask[]> {
    const { tasks } = await store.lease({
      worker,
      boot: over.boot ?? `boot-of-${worker}`,
      limit: null,
      slots: over.slots ?? 1,
      offers: [{ ...NOOP_OFFER, itemsPerSecond: over.rate ?? null }],
      renews: true,
      acceptsCopies: over.acceptsCopies ?? true,
      repeated: over.repeated ?? false,
    });
    return tasks;
  }
  /** Reports that these items of a task are ok. */
  const report = (worker: string, task: LeasedTask, ...items: readonly number[]) =>
    db.store.report(worker, [
      {
        taskId: task.taskId,
        attempt: task.attempt,
        outcomes: items.map((n) => success(item(n))),
        final: false,
        error: null,
      },
    ]);
  const expireCopies = async () => {
    await db.sql`update copies set lease_until = now() - interval '1 hour' where ended is null`;
    return db.store.reclaim({ force: true });
  };
  const taskRow = async (task: LeasedTask) => {
    const [row] = await db.sql<
      { status: string; attempts: number; expiries: number; assigned_worker: string | null }[]
    >`
      select status, attempts, expiries, assigned_worker from tasks where id = ${task.taskId}`;
    return row;
  };
  /** Submits a job of one task with this many items, and leases it to ann. */
  async function leasedToAnn(items: number): Promise<{ readonly id: string; readonly task: LeasedTask }> {
    const id = await submitJob(db.store, { items, shardSize: items });
    const [task] = await leaseTasks(db.store, 'ann');
    if (task === undefined) throw new Error('Ann got no task.');
    return { id, task };
  }
  /** Leases a copy to a worker. Throws when it gets none. */
  async function copyFor(worker: string, over: IdleWorker = {}): Promise<LeasedTask> {
    const [task] = await lease(worker, over);
    if (task === undefined) throw new Error(`${worker} got no copy.`);
    return task;
  }

  return { db, monotonicMs, lease, report, expireCopies, taskRow, leasedToAnn, copyFor };
}

export const idsOf = (tasks: readonly LeasedTask[]) =>
  tasks.flatMap((task) => task.items.map(({ itemId }) => itemId));
export const item = (n: number) => `item-${n}`;
