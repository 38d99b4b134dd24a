import type { Pauses } from './pauses.ts';
import type { Verdict } from './verdict.ts';

/** A server that has rejected this many different items and answered none is not believed. */
const SUSPECT_AFTER_ITEMS = 3;
/** Longest lists of tasks and jobs. The oldest are forgotten first. */
const MAX_KEPT = 100;

/** The rejected items of a server that has answered none. An answer clears it. */
export interface Rejections {
  /** Names of different items, at most `SUSPECT_AFTER_ITEMS`. */
  readonly items: readonly string[];
  /** When the first item was rejected, in milliseconds. */
  readonly since: number | null;
  /** Tasks that were failed here, so that another worker tries them. */
  readonly failedTasks: readonly RejectedLease[];
  /** Jobs whose items no other worker runs either: the rejections are the items' errors. */
  readonly believedJobs: readonly string[];
}

interface RejectedLease {
  readonly taskId: string;
  readonly attempt: number;
  readonly at: number;
}

export const NO_REJECTIONS: Rejections = { items: [], since: null, failedTasks: [], believedJobs: [] };

/** An item that the server rejected, and its lease. */
export interface RejectedItem {
  readonly name: string;
  readonly taskId: string;
  readonly jobId: string;
  readonly attempt: number;
  /** Another worker holds the lease. */
  readonly isCopy: boolean;
  /** Whether the server has rejected it before. */
  readonly isSecondTime: boolean;
}

/**
 * Decides what a rejection means. A server that has answered another item is believed. One that has answered none may be
 * set up wrongly, and another worker may run the items. So after some time it fails a task (T6): the control plane gives
 * it to another worker, if there is one. If the task comes back soon or after another worker had it, the items are bad.
 */
export function judgeRejection(
  before: Rejections,
  hasAnswered: boolean,
  item: RejectedItem,
  now: number,
  pauses: Pauses,
): { readonly verdict: Verdict; readonly rejections: Rejections } {
  const { jobId, taskId, attempt } = item;
  if (hasAnswered || before.believedJobs.includes(jobId))
    return { verdict: 'item_error', rejections: before };
  const items = before.items.includes(item.name)
    ? before.items
    : [...before.items, item.name].slice(0, SUSPECT_AFTER_ITEMS);
  const since = before.since ?? now;
  const rejections = { ...before, items, since };
  if (items.length < SUSPECT_AFTER_ITEMS) {
    return { verdict: item.isSecondTime ? 'item_error' : 'again', rejections };
  }
  // A copy says nothing about other workers: the holder may be about to finish the item.
  if (item.isCopy || now - since < pauses.rejectionPatienceMs) return { verdict: 'server', rejections };
  const failed = before.failedTasks.find((each) => each.taskId === taskId);
  if (failed !== undefined && isSecondOpinion(failed, attempt, now, pauses)) {
    const believedJobs = [...before.believedJobs, jobId].slice(-MAX_KEPT);
    return { verdict: 'item_error', rejections: { ...rejections, believedJobs } };
  }
  const others = before.failedTasks.filter((each) => each.taskId !== taskId);
  const failedTasks = [...others, { taskId, attempt, at: now }].slice(-MAX_KEPT);
  return { verdict: 'task_failed', rejections: { ...rejections, failedTasks } };
}

/** Whether there is no other worker for a failed task, or another one has had it and did not finish it. */
function isSecondOpinion(failed: RejectedLease, attempt: number, now: number, pauses: Pauses): boolean {
  return attempt > failed.attempt + 1 || now - failed.at < pauses.rejectionPatienceMs;
}

/** Whether the server has rejected so many items that it is not believed. */
export function isSuspect({ items }: Rejections): boolean {
  return items.length >= SUSPECT_AFTER_ITEMS;
}
