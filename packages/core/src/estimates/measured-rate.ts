/** How far back a measured pace looks: what was finished so long ago counts for a third. */
export const RATE_WINDOW_SECONDS = 300;

/** No measurement is believed more than this: the next minutes are others. */
const MOST_TRUST = 0.9;

/** What a worker has finished of one job lately, older items faded out over `RATE_WINDOW_SECONDS`. */
export interface RecentItems {
  readonly fadedItems: number;
  /** Since it first had a lease of the job. */
  readonly sinceSeconds: number;
}

/** A pace, how far it can be believed, from 0 where the worker has just begun, and for how long it was measured. */
export interface MeasuredRate {
  readonly itemsPerSecond: number;
  readonly trust: number;
  readonly sinceSeconds: number;
}

/** Pauses, sleep and other jobs are in it: it is what came of the worker for this job, not what it can do. */
export function measuredRate({ fadedItems, sinceSeconds }: RecentItems): MeasuredRate {
  const seen = -Math.expm1(-Math.max(0, sinceSeconds) / RATE_WINDOW_SECONDS);
  // The items of a steady worker have added up to what it does in so long.
  const seconds = RATE_WINDOW_SECONDS * seen;
  return {
    itemsPerSecond: seconds > 0 ? fadedItems / seconds : 0,
    trust: Math.min(seen, MOST_TRUST),
    sinceSeconds,
  };
}
