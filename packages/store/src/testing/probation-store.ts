import { beforeEach } from 'vitest';
import type { Store } from '../store.ts';
import type { LeasedTask } from '../tasks/leased-tasks.ts';
import { sharedStore } from './shared-store.ts';
import { completion, itemError, NOOP_OFFERS, submitJob } from './submitted-job.ts';

/** Items of each task. */
export const SHARD = 5;
/** Items that can fail before a worker with four slots is on probation: six errors, while it holds a lease. */
export const MAX_FAILED = 5 + 2 * 4 + SHARD;

/** A store for a test file, with workers whose items end as the test says. */
export function probationStore() {
  let nowMs = 0;
  const monotonicMs = () => nowMs;
  const db = sharedStore({ monotonicMs });
  beforeEach(() => {
    nowMs += 10_000; // the caches of the test before are too old
  });

  async function heartbeat(worker: string, boot = `boot-of-${worker}`): Promise<void> {
    await db.store.heartbeat({
      worker,
      boot,
      hostname: worker,
      jobTypes: ['noop'],
      models: ['noop'],
      concurrency: 4,
      leaseLimit: 0,
      offline: false,
      formerBoots: null,
    });
  }
  async function connect(...workers: readonly string[]): Promise<void> {
    for (const worker of workers) await heartbeat(worker);
  }

  async function lease(worker: string, store: Store = db.store): Promise<LeasedTask[]> {
    const boot = `boot-of-${worker}`;
    const call = {
      worker,
      boot,
      limit: null,
      slots: 4,
      offers: NOOP_OFFERS,
      renews: true,
      acceptsCopies: true,
    };
    return (await store.lease(call)).tasks;
  }
  async function leaseFirst(worker: string): Promise<LeasedTask> {
    const [task] = await lease(worker);
    if (task === undefined) throw new Error(`There was no task to lease for ${worker}.`);
    return task;
  }

  /** Reports an error for each item. */
  async function failItems(worker: string, tasks: readonly LeasedTask[], store = db.store): Promise<void> {
    const errorsOf = (task: LeasedTask) => task.items.map(({ itemId }) => itemError(itemId));
    await store.report(
      worker,
      tasks.map((task) => ({ ...completion(task), outcomes: errorsOf(task) })),
    );
  }
  /** Leases and fails items until the worker gets nothing. Returns the number of leases. */
  async function failAllItems(worker: string): Promise<number> {
    for (let leases = 0; ; leases += 1) {
      const tasks = await lease(worker);
      if (tasks.length === 0) return leases;
      await failItems(worker, tasks);
    }
  }
  async function finish(worker: string, tasks: readonly LeasedTask[]): Promise<void> {
    await db.store.report(
      worker,
      tasks.map((task) => completion(task)),
    );
  }
  async function finishAll(worker: string): Promise<void> {
    for (;;) {
      const tasks = await lease(worker);
      if (tasks.length === 0) return;
      await finish(worker, tasks);
    }
  }

  /** Moves this process's clock on. */
  const advanceClock = (ms: number) => {
    nowMs += ms;
  };
  /** Moves the time on, for this process and in the tallies. */
  async function advance(seconds: number): Promise<void> {
    advanceClock(seconds * 1000);
    await db.sql`update job_tallies set last_leased_at = last_leased_at - ${seconds}::float8 * interval '1 second'`;
  }
  const job = (items: number) => submitJob(db.store, { items, shardSize: SHARD });
  const itemsOf = async (id: string) => (await db.store.readJob(id))?.items;

  return {
    db,
    monotonicMs,
    heartbeat,
    connect,
    lease,
    leaseFirst,
    failItems,
    failAllItems,
    finish,
    finishAll,
    advance,
    advanceClock,
    job,
    itemsOf,
  };
}
