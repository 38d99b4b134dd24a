import type { LeaseName, Outcome, ReportEntry, ReportedError } from '@macbatch/contract';

/** What came of a lease and is to be reported. */
export interface Reportable {
  readonly lease: LeaseName;
  readonly outcomes: readonly Outcome[];
  /** Items that were leased with the task. */
  readonly itemCount: number;
  /** An item failed here in a way that may pass elsewhere. */
  readonly error: ReportedError | null;
  /** The rest is to be handed back unfinished. */
  readonly handBack: boolean;
  /** The control plane says that the lease is gone. */
  readonly lost: boolean;
}

/** The report of it. */
export function entryOf({ lease, outcomes, itemCount, error, handBack }: Reportable): ReportEntry {
  return {
    task_id: lease.task_id,
    attempt: lease.attempt,
    outcomes: [...outcomes],
    final: outcomes.length === itemCount,
    ...(error === null || handBack ? {} : { error }),
  };
}

/** Nothing came of it and it was not given up for an error: there is nothing to report. */
export function isSilent({ outcomes, error, handBack }: Reportable): boolean {
  return outcomes.length === 0 && (error === null || handBack);
}

/** Something of it is left, and the lease may still be held. */
export function isReturned({ outcomes, itemCount, handBack, lost }: Reportable): boolean {
  return handBack && !lost && outcomes.length < itemCount;
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
    itemCount: items,
    error: null,
    handBack: true,
    lost: false,
  };
}
