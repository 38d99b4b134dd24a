import type { LeaseName, Outcome, ReleasedLease, ReportEntry, ReportedError } from '@macbatch/contract';
import { type HeldTask, itemCountOf } from './held-task.ts';
import { leaseNameOf } from './lease-key.ts';

/** A lease that an earlier process of this worker held, and its outcomes without an acknowledgement. */
export interface RecoveredTask extends LeaseName {
  /** Number of leased items; infinite if the disk has no record of the lease itself. */
  readonly items: number;
  readonly outcomes: readonly Outcome[];
}

/** The outcomes of a lease, and what the control plane has to know about the rest of it. */
export interface Reportable {
  readonly lease: LeaseName;
  readonly outcomes: readonly Outcome[];
  /** Number of acknowledged outcomes. They are the first ones in `outcomes`. */
  readonly acknowledged: number;
  /** Number of items that this worker has to report. */
  readonly itemCount: number;
  /** Some items only, of another worker's lease. */
  readonly copy: boolean;
  /** An item failed here and may succeed elsewhere. */
  readonly error: ReportedError | null;
  /** Items without an outcome are handed back. */
  readonly handBack: boolean;
  /** They are handed back because the model server rejects every item. */
  readonly rejected: boolean;
  /** The lease is no longer held. */
  readonly lost: boolean;
}

/** What has to be reported about a held task. */
export function reportableOf(task: HeldTask): Reportable {
  const { lease, outcomes, acknowledged, error, handBack, rejected, lost } = task;
  return {
    lease: leaseNameOf(lease),
    outcomes,
    acknowledged,
    itemCount: itemCountOf(task),
    copy: lease.copy,
    error,
    handBack,
    rejected,
    lost,
  };
}

/** Hands back the unstarted items of a task whose other items still run. */
export function unstartedRest(task: HeldTask): Reportable {
  return { ...reportableOf(task), outcomes: [], acknowledged: 0, error: null, handBack: true, lost: false };
}

/**
 * What has to be reported about a task of an earlier process. The rest is handed back. After a crash it is not released
 * here: the control plane takes it back like a lost lease.
 */
export function recoveredReportable(
  { task_id, attempt, items, outcomes }: RecoveredTask,
  afterCrash: boolean,
): Reportable {
  return {
    lease: { task_id, attempt },
    outcomes,
    acknowledged: 0,
    itemCount: items,
    copy: false, // the record of a copy has no number of items
    error: null,
    handBack: true,
    rejected: false,
    lost: afterCrash,
  };
}

/** The last report of a task. */
export function finalEntry(task: Reportable): ReportEntry {
  const { outcomes, itemCount, copy, error, handBack } = task;
  return {
    ...partialEntry(task),
    final: !copy && outcomes.length === itemCount,
    ...(error === null || handBack ? {} : { error }),
  };
}

/** A report of a task that still runs. */
export function partialEntry({ lease, outcomes, acknowledged }: Reportable): ReportEntry {
  return {
    task_id: lease.task_id,
    attempt: lease.attempt,
    outcomes: outcomes.slice(acknowledged),
    final: false,
  };
}

/** Whether there is nothing to report: no new outcome, and no error of the task. */
export function isSilent({ outcomes, acknowledged, error, handBack }: Reportable): boolean {
  return outcomes.length === acknowledged && (error === null || handBack);
}

/** Whether every item has an outcome, so that no other worker needs to run the rest of the task. */
export function isComplete({ outcomes, itemCount, error, handBack }: Reportable): boolean {
  return outcomes.length === itemCount && error === null && !handBack;
}

/** Whether items without an outcome are left and the lease may still be held, so that it has to be released. */
export function needsRelease({ outcomes, itemCount, handBack, lost }: Reportable): boolean {
  return handBack && !lost && outcomes.length < itemCount;
}

/** The release of what is left of a lease. */
export function releaseOf({ lease, rejected }: Reportable): ReleasedLease {
  return rejected ? { ...lease, rejected } : lease;
}
