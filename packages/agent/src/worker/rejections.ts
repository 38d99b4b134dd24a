import type { Pauses } from './pauses.ts';
import type { Verdict } from './verdict.ts';

/** A server that has rejected this many different items and answered none is not believed. */
const SUSPECT_AFTER_ITEMS = 3;
/** The same for a server that has answered others: that many different items in a row. */
const SUSPECT_AFTER_ANSWERS = 5;
/** The number doubles each time a suspect server answers again, up to this. */
const MAX_SUSPECT_AFTER = 320;
/** What the control plane says about other workers is believed for this part of the patience. */
const FRESH_PART = 0.1;
/** Longest lists of tasks and jobs. The oldest are forgotten first. */
const MAX_KEPT = 100;

/** The items that a server has rejected since its last answer. */
export interface Rejections {
  /** Names of different items, at most `suspectAfter`. */
  readonly items: readonly string[];
  /** A server that has rejected this many different items in a row is not believed. */
  readonly suspectAfter: number;
  /** When the first item was rejected, in milliseconds. */
  readonly since: number | null;
  /** Jobs whose items no other worker runs either: the rejections are the items' errors. */
  readonly believedJobs: readonly string[];
  /** When a task of such a job was left to others that has not come back, in milliseconds. */
  readonly leftAt: number | null;
  /** Tasks that were failed here, so that another worker tries them. Only with an older control plane. */
  readonly failedTasks: readonly RejectedLease[];
}

interface RejectedLease {
  readonly taskId: string;
  readonly attempt: number;
  readonly at: number;
}

export const NO_REJECTIONS: Rejections = {
  items: [],
  suspectAfter: SUSPECT_AFTER_ITEMS,
  since: null,
  believedJobs: [],
  leftAt: null,
  failedTasks: [],
};

/** An item that the server rejected, and its lease. */
export interface RejectedItem {
  readonly name: string;
  readonly taskId: string;
  readonly jobId: string;
  readonly attempt: number;
  /** Another worker holds the lease. */
  readonly isCopy: boolean;
  /** Whether no other worker can run the item, as the control plane says; undefined if it does not say so. */
  readonly noOtherWorker: boolean | undefined;
  /** Time from the lease, when the control plane said so, to the start of the run. */
  readonly leaseAgeMs: number;
  /** Whether the server has rejected it before. */
  readonly isSecondTime: boolean;
  /** Whether other items wait here that may show whether the server works. */
  readonly hasFresh: boolean;
  /** Whether the server has answered another item since it rejected this one. */
  readonly answeredSince: boolean;
}

interface Judgement {
  readonly verdict: Verdict;
  readonly rejections: Rejections;
}

/**
 * Decides what a rejection means. A server that has answered other items is believed, until it rejects many in a row. A
 * suspect server may be set up wrongly, and another worker may run the items. So the worker leaves them to others. When
 * the control plane says that there is no other worker, the items are bad.
 */
export function judgeRejection(
  before: Rejections,
  hasAnswered: boolean,
  item: RejectedItem,
  now: number,
  pauses: Pauses,
): Judgement {
  if (item.answeredSince) return { verdict: 'item_error', rejections: before };
  const items = before.items.includes(item.name)
    ? before.items
    : [...before.items, item.name].slice(0, before.suspectAfter);
  const rejections = { ...before, items, since: before.since ?? now };
  if (!isSuspect(rejections)) return { verdict: firstVerdict(hasAnswered, item), rejections };
  switch (item.noOtherWorker) {
    case true:
      return judgeLast(rejections, item, now, pauses);
    case false:
      return judgeShared(rejections, item, now, pauses);
    case undefined:
      return judgeUnknown(rejections, item, now, pauses);
  }
}

/** While the server is not suspect. */
function firstVerdict(hasAnswered: boolean, item: RejectedItem): Verdict {
  const { isSecondTime, hasFresh, noOtherWorker } = item;
  if (hasAnswered) return 'item_error';
  if (!isSecondTime || hasFresh) return 'again';
  return noOtherWorker === false ? 'left_to_others' : 'item_error';
}

/** No other worker can run the item: after some time the rejection is its error. */
function judgeLast(rejections: Rejections, item: RejectedItem, now: number, pauses: Pauses): Judgement {
  const { jobId, leaseAgeMs } = item;
  const known = { ...rejections, leftAt: null };
  if (!isPatienceOver(known, jobId, now, pauses)) return { verdict: 'server', rejections: known };
  // Another worker may have come since the lease: the control plane is asked again.
  if (!known.believedJobs.includes(jobId) && leaseAgeMs >= pauses.rejectionPatienceMs * FRESH_PART)
    return { verdict: 'left_to_others', rejections: known };
  return { verdict: 'item_error', rejections: believing(known, jobId) };
}

/** Another worker may run the item. In a job that had no other worker, the control plane is asked again at once. */
function judgeShared(rejections: Rejections, item: RejectedItem, now: number, pauses: Pauses): Judgement {
  const { believedJobs, leftAt } = rejections;
  // A copy says nothing about other workers: the holder may be about to finish the item.
  if (item.isCopy || !believedJobs.includes(item.jobId)) return { verdict: 'server', rejections };
  if (leftAt !== null && now - leftAt >= pauses.rejectionPatienceMs) {
    return { verdict: 'server', rejections: { ...rejections, believedJobs: [], leftAt: null } };
  }
  return { verdict: 'left_to_others', rejections: { ...rejections, leftAt: leftAt ?? now } };
}

/**
 * An older control plane does not say whether there is another worker. After some time the worker fails a task (T6): the
 * control plane gives it to another worker, if there is one. If the task comes back soon or after another worker had it,
 * the items are bad.
 */
function judgeUnknown(rejections: Rejections, item: RejectedItem, now: number, pauses: Pauses): Judgement {
  const { jobId, taskId, attempt, isCopy } = item;
  if (rejections.believedJobs.includes(jobId)) return { verdict: 'item_error', rejections };
  if (isCopy || !isPatienceOver(rejections, jobId, now, pauses)) return { verdict: 'server', rejections };
  const failed = rejections.failedTasks.find((each) => each.taskId === taskId);
  if (
    failed !== undefined &&
    (attempt > failed.attempt + 1 || now - failed.at < pauses.rejectionPatienceMs)
  ) {
    return { verdict: 'item_error', rejections: believing(rejections, jobId) };
  }
  const others = rejections.failedTasks.filter((each) => each.taskId !== taskId);
  const failedTasks = [...others, { taskId, attempt, at: now }].slice(-MAX_KEPT);
  return { verdict: 'task_failed', rejections: { ...rejections, failedTasks } };
}

function isPatienceOver(
  { believedJobs, since }: Rejections,
  jobId: string,
  now: number,
  pauses: Pauses,
): boolean {
  return believedJobs.includes(jobId) || now - (since ?? now) >= pauses.rejectionPatienceMs;
}

function believing(rejections: Rejections, jobId: string): Rejections {
  const others = rejections.believedJobs.filter((each) => each !== jobId);
  return { ...rejections, believedJobs: [...others, jobId].slice(-MAX_KEPT) };
}

/** Whether the server has rejected so many items in a row that it is not believed. */
function isSuspect({ items, suspectAfter }: Rejections): boolean {
  return items.length >= suspectAfter;
}

/** The server has answered an item. If it was suspect, the items were bad: it is believed for longer the next time. */
export function answerAfter(rejections: Rejections): Rejections {
  const { suspectAfter } = rejections;
  const next = isSuspect(rejections) ? Math.min(2 * suspectAfter, MAX_SUSPECT_AFTER) : suspectAfter;
  return { ...NO_REJECTIONS, suspectAfter: Math.max(SUSPECT_AFTER_ANSWERS, next) };
}
