/** What one worker has lately made of a job's items; older outcomes count less and less. */
export interface OutcomeHistory {
  readonly ok: number;
  /** Items that ended with an error of their own, and tasks that were given up with one. */
  readonly errors: number;
  /** Errors since the last good outcome, none of them faded. */
  readonly errorsInARow: number;
}

export const NO_OUTCOMES: OutcomeHistory = { ok: 0, errors: 0, errorsInARow: 0 };

/** What an outcome is still worth after the next one: about the last twenty count. */
const FADE = 0.95;

/** A record after this many more outcomes, in whatever order they came. */
export function withOutcomes(record: OutcomeHistory, ok: number, errors: number): OutcomeHistory {
  const count = ok + errors;
  if (count === 0) return record;
  const kept = FADE ** count;
  const each = (1 - kept) / (1 - FADE) / count;
  return {
    ok: record.ok * kept + ok * each,
    errors: record.errors * kept + errors * each,
    errorsInARow: ok > 0 ? 0 : record.errorsInARow + errors,
  };
}

/** How much of a job a worker may be given: as always, one task, or nothing for now. */
export type LeaseBudget = 'all' | 'one' | 'none';

/** Faded errors from which a worker can be held to be broken: the sixth in a row. */
const DOUBTED_ERRORS = 5;
/** Pauses between the tasks that a doubted worker gets to prove itself. */
const SHORTEST_PAUSE_SECONDS = 60;
const LONGEST_PAUSE_SECONDS = 3600;

/** A worker beside the others that have to do with the same job. */
export interface WorkerOnJob {
  readonly own: OutcomeHistory;
  /** Those of other workers that are here, or only asleep. */
  readonly others: readonly OutcomeHistory[];
  /** Another worker that is here may soon show whether the job or this worker is to blame. */
  readonly verdictPending: boolean;
  /** Since this worker's errors became as many as its good outcomes. */
  readonly probationSeconds: number;
  /** Since it was last given some of the job. */
  readonly secondsSinceLease: number;
  /** Outcomes of that have come since. */
  readonly reportedSinceLease: boolean;
}

/** Whether so much has failed that it matters whose fault it is. */
export function hasManyErrors({ ok, errors }: OutcomeHistory): boolean {
  return errors >= DOUBTED_ERRORS && errors >= ok;
}

/**
 * How much of a job a worker may be given.
 *
 * Errors alone say nothing: every item may be bad, and then the job is to end with them. A worker is to blame only
 * beside another that does clearly better with the same job; and as long as one that could is still to tell, it is
 * doubted. A doubted worker gets a task now and then, after pauses that double, and after a good outcome the next
 * one at once: so one that was mended comes back, and what a broken one spoils is few tasks.
 */
export function leaseBudget({
  own,
  others,
  verdictPending,
  probationSeconds,
  secondsSinceLease,
  reportedSinceLease,
}: WorkerOnJob): LeaseBudget {
  if (!hasManyErrors(own)) return 'all';
  const blamed = others.some((other) => errorShare(other) <= errorShare(own) / 2);
  if (!blamed && !verdictPending) return 'all';
  if (own.errorsInARow === 0 && reportedSinceLease) return 'one';
  const soFar = probationSeconds - secondsSinceLease;
  const pause = Math.min(Math.max(soFar, SHORTEST_PAUSE_SECONDS), LONGEST_PAUSE_SECONDS);
  return secondsSinceLease >= pause ? 'one' : 'none';
}

/** As if one outcome of each kind had come before, so that a single one does not say all. */
function errorShare({ ok, errors }: OutcomeHistory): number {
  return (errors + 1) / (ok + errors + 2);
}
