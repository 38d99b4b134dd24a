/** A worker's recent outcomes of one job's items. Older outcomes weigh less. */
export interface OutcomeHistory {
  readonly ok: number;
  /** Items that ended with an error, plus tasks that failed with one. */
  readonly errors: number;
  /** Errors since the last `ok` outcome, at full weight. */
  readonly errorsInARow: number;
}

export const NO_OUTCOMES: OutcomeHistory = { ok: 0, errors: 0, errorsInARow: 0 };

/** Weight that an outcome keeps with each later outcome. The sum of the weights approaches 20. */
const DECAY_PER_OUTCOME = 0.95;

/** Adds outcomes to a history. The order of the added outcomes does not matter. */
export function withOutcomes(history: OutcomeHistory, ok: number, errors: number): OutcomeHistory {
  const count = ok + errors;
  if (count === 0) return history;
  const kept = DECAY_PER_OUTCOME ** count;
  const weight = (1 - kept) / (1 - DECAY_PER_OUTCOME) / count;
  return {
    ok: history.ok * kept + ok * weight,
    errors: history.errors * kept + errors * weight,
    errorsInARow: ok > 0 ? 0 : history.errorsInARow + errors,
  };
}

/** How many tasks of a job a worker may lease now: any number, one, or none. */
export type LeaseBudget = 'all' | 'one' | 'none';

/** A worker with at least this weighted number of errors may be broken. Six errors in a row reach it. */
const MANY_ERRORS = 5;
/** Shortest and longest pause between the tasks of a worker on probation. */
const SHORTEST_PAUSE_SECONDS = 60;
const LONGEST_PAUSE_SECONDS = 3600;

/** A worker's history on one job, with what the decision needs to know about the other workers. */
export interface WorkerOnJob {
  readonly own: OutcomeHistory;
  /** Histories of the other workers that are alive or asleep. */
  readonly others: readonly OutcomeHistory[];
  /** Another alive worker will soon show whether the job or this worker causes the errors. */
  readonly verdictPending: boolean;
  /** Seconds since this worker's errors caught up with its `ok` outcomes. */
  readonly probationSeconds: number;
  /** Seconds since the worker last leased a task of the job. */
  readonly secondsSinceLease: number;
  /** Outcomes of that lease have arrived. */
  readonly reportedSinceLease: boolean;
}

/** Whether a history has so many errors that either the job or the worker must be broken. */
export function hasManyErrors({ ok, errors }: OutcomeHistory): boolean {
  return errors >= MANY_ERRORS && errors >= ok;
}

/**
 * Decides how many tasks of a job a worker may lease.
 *
 * Errors alone do not put a worker on probation: if every item is bad, the job must still end. A worker is on
 * probation when another worker has at most half its error share on the same job, or may soon have. It then gets
 * one task at a time, after pauses that double. After an `ok` outcome it gets the next task immediately. A repaired
 * worker therefore recovers, and a broken one spoils few tasks.
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
  const othersDoBetter = others.some((other) => errorShare(other) <= errorShare(own) / 2);
  if (!othersDoBetter && !verdictPending) return 'all';
  if (own.errorsInARow === 0 && reportedSinceLease) return 'one';
  const probationAtLease = probationSeconds - secondsSinceLease;
  const pause = Math.min(Math.max(probationAtLease, SHORTEST_PAUSE_SECONDS), LONGEST_PAUSE_SECONDS);
  return secondsSinceLease >= pause ? 'one' : 'none';
}

/** Share of errors with add-one smoothing, so that a single outcome is never 0 % or 100 %. */
function errorShare({ ok, errors }: OutcomeHistory): number {
  return (errors + 1) / (ok + errors + 2);
}
