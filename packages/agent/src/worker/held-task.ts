import type { LeasedTask, Outcome, ReportedError } from '@macbatch/contract';
import type { Offer } from '../runtimes/runtime.ts';
import type { Suspicion } from './quarantine.ts';

export type LeasedItem = LeasedTask['items'][number];

/** An item that was in flight when its runtime crashed. It runs alone next. */
export interface Suspect {
  readonly item: LeasedItem;
  readonly suspicion: Suspicion;
}

/** A leased task: items that are left to start, and outcomes. Its running items are in `runs` of the state. */
export interface HeldTask {
  /** Unique in this process: the same lease can be granted twice, as a copy. */
  readonly number: number;
  readonly lease: LeasedTask;
  /** When the grant of the lease arrived. */
  readonly leasedAt: number;
  /** End of the time in which the lease is certainly held, by this machine's clock. */
  readonly trustedUntil: number;
  /** `trustedUntil` has passed. Nothing of the task starts until a heartbeat confirms the lease. */
  readonly possiblyExpired: boolean;
  /** Items that have not been started, in order. */
  readonly queue: readonly LeasedItem[];
  /** Items that were started and did not end: they run again. Their runtime has the record of their failures. */
  readonly retries: readonly LeasedItem[];
  /** Items that wait to run alone. */
  readonly suspects: readonly Suspect[];
  /** Ids of items that were in flight at a crash and have no outcome yet, waiting or running. */
  readonly suspectIds: readonly string[];
  readonly outcomes: readonly Outcome[];
  /** Number of acknowledged outcomes. They are the first ones in `outcomes`. */
  readonly acknowledged: number;
  /** Ids of items that have an outcome from another worker. They are not run here. */
  readonly recordedElsewhere: ReadonlySet<string>;
  /** First error of an item that failed here and may succeed elsewhere. */
  readonly error: ReportedError | null;
  /** No more of its items start here. */
  readonly closed: boolean;
  /** Items without an outcome are handed back, with no error. */
  readonly handBack: boolean;
  /** They are handed back because the model server rejects every item. */
  readonly rejected: boolean;
  /** The lease is no longer held: the control plane said so, or the unstarted rest was handed back. */
  readonly lost: boolean;
}

/** A task as it was leased. */
export function heldTask(
  number: number,
  lease: LeasedTask,
  { leasedAt, trustedUntil }: Pick<HeldTask, 'leasedAt' | 'trustedUntil'>,
): HeldTask {
  return {
    number,
    lease,
    leasedAt,
    trustedUntil,
    possiblyExpired: false,
    queue: lease.items,
    retries: [],
    suspects: [],
    suspectIds: [],
    outcomes: [],
    acknowledged: 0,
    recordedElsewhere: new Set(),
    error: null,
    closed: false,
    handBack: false,
    rejected: false,
    lost: false,
  };
}

/** The offer under which the task's items run. */
export function offerOf({ lease: { job_type, model } }: HeldTask): Offer {
  return { job_type, model };
}

/** Whether items of the task are left to start, including items that run again or alone. */
export function isStartable({ queue, retries, suspects }: HeldTask): boolean {
  return queue.length > 0 || retries.length > 0 || suspects.length > 0;
}

/** Number of items that this worker has to report: all but those that another worker has reported. */
export function itemCountOf({ lease, recordedElsewhere }: HeldTask): number {
  return lease.items.length - recordedElsewhere.size;
}

/** Removes an item from the items that are left to start. */
export function takeItem(task: HeldTask, item: LeasedItem): HeldTask {
  return {
    ...task,
    // For long queues, a slice is much faster than a filter.
    queue: task.queue[0] === item ? task.queue.slice(1) : task.queue.filter((each) => each !== item),
    retries: task.retries.filter((each) => each !== item),
    suspects: task.suspects.filter((each) => each.item !== item),
  };
}

/** Closes a task: no more of its items start. */
export function close(task: HeldTask): HeldTask {
  return { ...task, queue: [], retries: [], suspects: [], closed: true };
}

/** Adds the outcome of an item. */
export function addOutcome(task: HeldTask, outcome: Outcome): HeldTask {
  return {
    ...task,
    suspectIds: task.suspectIds.filter((id) => id !== outcome.item_id),
    outcomes: [...task.outcomes, outcome],
  };
}

/**
 * Notes that an item failed here. The first error is the task's, without what is true of that item only. The other items
 * continue, so that they get outcomes.
 */
export function addFailure(task: HeldTask, { code, message }: ReportedError): HeldTask {
  return { ...task, error: task.error ?? { code, message } };
}

/** Lets an item run again later, unless the task is closed. */
export function addRetry(task: HeldTask, item: LeasedItem): HeldTask {
  return task.closed ? task : { ...task, retries: [...task.retries, item] };
}

/** Lets an item run again, alone, unless the task is closed. */
export function addSuspect(task: HeldTask, suspect: Suspect): HeldTask {
  const id = suspect.item.item_id;
  return {
    ...task,
    suspectIds: task.suspectIds.includes(id) ? task.suspectIds : [...task.suspectIds, id],
    suspects: task.closed ? [] : [...task.suspects, suspect],
  };
}

/** Leaves out items that another worker has reported. Items with an outcome from here stay. */
export function leaveOutRecorded(task: HeldTask, itemIds: readonly string[]): HeldTask {
  const own = new Set(task.outcomes.map(({ item_id }) => item_id));
  const leased = new Set(task.lease.items.map(({ item_id }) => item_id));
  const recordedElsewhere = new Set([
    ...task.recordedElsewhere,
    ...itemIds.filter((id) => leased.has(id) && !own.has(id)),
  ]);
  return {
    ...task,
    recordedElsewhere,
    queue: task.queue.filter(({ item_id }) => !recordedElsewhere.has(item_id)),
    retries: task.retries.filter(({ item_id }) => !recordedElsewhere.has(item_id)),
    suspects: task.suspects.filter(({ item }) => !recordedElsewhere.has(item.item_id)),
  };
}
