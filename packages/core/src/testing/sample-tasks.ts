import type { Refusal, TaskEvent } from '../lifecycle/event.ts';
import { newTask, type Task } from '../lifecycle/task.ts';
import { after } from './after.ts';
import { expire, fail, lease, report } from './events.ts';

/** Items of each sample task. */
export const ITEMS = 3;
export const fresh = newTask(ITEMS, 'attempts');
export const leasedByAnn = after(fresh, lease('ann'));
export const expired = after(leasedByAnn, expire());
export const leasedByBob = after(expired, lease('bob'));
export const done = after(leasedByAnn, report('ann', 1, ITEMS));
export const failed = after(leasedByBob, fail('bob', 2), lease('cem'), fail('cem', 3));

/** The fields of a task that remembers no lapsed lease. */
export const NO_LAPSE = { lapsedWorker: null, lapsedBoot: null, lapsedAttempt: null };

/** The task in a cancelled job. */
export const inCancelledJob = (task: Task): Task => ({ ...task, ...NO_LAPSE, cancelled: true });

/** Repeats a sequence of events. */
export const times = (count: number, ...events: readonly TaskEvent[]): TaskEvent[] =>
  Array.from({ length: count }, () => events).flat();

/** The decision that refuses an event for a reason. */
export const refused = (reason: Refusal) => ({ ok: false, reason });
