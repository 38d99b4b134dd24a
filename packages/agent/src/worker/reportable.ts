import type { LeaseName, Outcome, ReportEntry, ReportedError } from '@macbatch/contract';

/** What came of a lease and is to be reported. */
export interface Reportable {
  readonly lease: LeaseName;
  readonly outcomes: readonly Outcome[];
  /** How many of the outcomes, from the first on, the control plane has answered for. */
  readonly acknowledged: number;
  /** Items that are to be brought. */
  readonly itemCount: number;
  /** Some items only, of a lease that another worker has. */
  readonly copy: boolean;
  /** An item failed here in a way that may pass elsewhere. */
  readonly error: ReportedError | null;
  /** The rest is to be handed back unfinished. */
  readonly handBack: boolean;
  /** The control plane says that the lease is gone. */
  readonly lost: boolean;
}

/** The last report of it. */
export function entryOf(task: Reportable): ReportEntry {
  const { lease, outcomes, acknowledged, itemCount, copy, error, handBack } = task;
  return {
    task_id: lease.task_id,
    attempt: lease.attempt,
    outcomes: outcomes.slice(acknowledged),
    final: !copy && outcomes.length === itemCount,
    ...(error === null || handBack ? {} : { error }),
  };
}

/** A report of what came of it so far; more is to come. */
export function partialEntryOf({ lease, outcomes, acknowledged }: Reportable): ReportEntry {
  return {
    task_id: lease.task_id,
    attempt: lease.attempt,
    outcomes: outcomes.slice(acknowledged),
    final: false,
  };
}

/** Nothing new came of it and it was not given up for an error: there is nothing to report. */
export function isSilent({ outcomes, acknowledged, error, handBack }: Reportable): boolean {
  return outcomes.length === acknowledged && (error === null || handBack);
}

/** Every item has an outcome: nobody waits for the rest of it. */
export function isComplete({ outcomes, itemCount, error, handBack }: Reportable): boolean {
  return outcomes.length === itemCount && error === null && !handBack;
}

/** Something of it is left, and the lease may still be held. */
export function isReturned({ outcomes, itemCount, handBack, lost }: Reportable): boolean {
  return handBack && !lost && outcomes.length < itemCount;
}

/** What is left of a task of which some items still run: handed back, without a word of those. */
export function unstartedRest({ lease, itemCount, copy }: Reportable): Reportable {
  return { lease, outcomes: [], acknowledged: 0, itemCount, copy, error: null, handBack: true, lost: false };
}

/** What an earlier process finished of a task: nothing more of it is run here, the rest is handed back. */
export function recovered(unsettled: {
  readonly task_id: string;
  readonly attempt: number;
  readonly items: number;
  readonly outcomes: readonly Outcome[];
}): Reportable {
  const { task_id, attempt, items, outcomes } = unsettled;
  return {
    lease: { task_id, attempt },
    outcomes,
    acknowledged: 0,
    itemCount: items,
    copy: false, // the record of a copy has no number of items
    error: null,
    handBack: true,
    lost: false,
  };
}
