import { recordName } from './endpoint-runs.ts';
import { type HeldTask, isStartable, type LeasedItem, offerOf } from './held-task.ts';
import type { WorkerState } from './worker-state.ts';

/** The names of the items that have failed here, see `recordName`. */
export function namesOfFailed({ runtimes }: WorkerState): ReadonlySet<string> {
  return new Set(runtimes.flatMap(({ records }) => records.map(({ name }) => name)));
}

/** A predicate for items of a task that have not failed here. */
export function isFresh(state: WorkerState, task: HeldTask): (item: LeasedItem) => boolean {
  const failed = namesOfFailed(state);
  return (item) => !failed.has(recordName(task.lease.task_id, item));
}

/** Whether a task has an item to start that has not failed here. Only such an item shows whether its server works. */
export function hasFreshItem(state: WorkerState, task: HeldTask): boolean {
  return [...task.queue, ...task.retries].some(isFresh(state, task));
}

/** Whether the worker holds an item of a model that has not failed here. */
export function hasFreshItemFor(state: WorkerState, model: string): boolean {
  return state.tasks.some(
    (task) => offerOf(task).model === model && isStartable(task) && hasFreshItem(state, task),
  );
}
