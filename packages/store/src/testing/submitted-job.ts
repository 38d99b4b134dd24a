import type { Item, RetryOn, WorkType } from '@macbatch/core';
import type { LeaseOffer } from '../leasing/lease-call.ts';
import type { Entry, Outcome } from '../reporting/report-entry.ts';
import type { Store } from '../store.ts';
import type { LeasedTask } from '../tasks/leased-tasks.ts';

/** An offer for the jobs of `submitJob`. */
export const NOOP_OFFER = { jobType: 'noop', model: 'noop' } as const satisfies LeaseOffer;
/** The offers of a worker that runs the jobs of `submitJob`. */
export const NOOP_OFFERS = [NOOP_OFFER] as const;

/** `count` items with the ids item-0, item-1, … */
export async function* numberedItems(count: number): AsyncGenerator<Item, void, undefined> {
  for (let n = 0; n < count; n += 1) yield { id: `item-${n}`, payload: `{"n":${n}}` };
}

/** Submits a job of no-op items and returns its id. */
export async function submitJob(
  store: Store,
  job: {
    readonly items: number;
    readonly shardSize?: number;
    readonly retryOn?: RetryOn;
    readonly jobType?: WorkType;
    readonly model?: string;
    readonly priority?: number;
  },
): Promise<string> {
  const reply = await store.submit(
    {
      jobType: job.jobType ?? 'noop',
      model: job.model ?? 'noop',
      params: '{}',
      shardSize: job.shardSize ?? 10,
      retryOn: job.retryOn ?? 'attempts',
      priority: job.priority ?? 0,
      idempotencyKey: null,
    },
    numberedItems(job.items),
    () => '',
  );
  if (reply.outcome !== 'created') throw new Error(`The job was not created: ${reply.outcome}.`);
  return reply.jobId;
}

/** Leases up to `limit` no-op tasks. */
export async function leaseTasks(store: Store, worker: string, limit = 1): Promise<LeasedTask[]> {
  const { tasks } = await store.lease({
    worker,
    boot: `boot-of-${worker}`,
    limit,
    offers: NOOP_OFFERS,
    renews: false,
  });
  return tasks;
}

/** Leases one no-op task. Throws when there is none. */
export async function leaseOne(store: Store, worker: string): Promise<LeasedTask> {
  const [task] = await leaseTasks(store, worker);
  if (task === undefined) throw new Error(`There was no task to lease for ${worker}.`);
  return task;
}

/** An outcome that is ok. */
export function success(itemId: string, output = '{"ok":true}'): Outcome {
  return { itemId, output, error: null, model: { name: 'noop', digest: null }, usage: null };
}

/** An outcome that is an error of the item. */
export function itemError(itemId: string, message = 'it is too long'): Outcome {
  return { ...success(itemId), output: null, error: JSON.stringify({ code: 'too_long', message }) };
}

/** A final entry with an outcome that is ok for each item of a leased task. */
export function completion(task: LeasedTask, output?: string): Entry {
  return {
    taskId: task.taskId,
    attempt: task.attempt,
    outcomes: task.items.map(({ itemId }) => success(itemId, output)),
    final: true,
    error: null,
  };
}

/** An entry that gives up a leased task with an error. */
export function failure(
  task: { readonly taskId: string; readonly attempt: number },
  message = 'it broke',
): Entry {
  const error = JSON.stringify({ code: 'broken', message });
  return { taskId: task.taskId, attempt: task.attempt, outcomes: [], final: false, error };
}
