/** Time constant of a measured rate: items that ended this long ago weigh 1/e. */
export const RATE_WINDOW_SECONDS = 300;

/** Upper bound of the trust in a measurement: the next minutes may differ from the last. */
const MAX_TRUST = 0.9;

/** Items of one job that a worker has finished, decayed over `RATE_WINDOW_SECONDS`. */
export interface RecentItems {
  readonly decayedItems: number;
  /** Seconds since the worker's first lease of the job. */
  readonly sinceSeconds: number;
}

/** A rate, the trust in it (0 to 1; 0 for a worker that has just begun), and the seconds it was measured for. */
export interface MeasuredRate {
  readonly itemsPerSecond: number;
  readonly trust: number;
  readonly sinceSeconds: number;
}

/**
 * Computes a worker's rate on one job from its finished items.
 *
 * The rate includes pauses, sleep and other jobs: it is what the job got from the worker, not what the worker can do.
 */
export function measuredRate({ decayedItems, sinceSeconds }: RecentItems): MeasuredRate {
  const observedShare = -Math.expm1(-Math.max(0, sinceSeconds) / RATE_WINDOW_SECONDS);
  // At a steady rate, the decayed items add up to the work of this many seconds.
  const effectiveSeconds = RATE_WINDOW_SECONDS * observedShare;
  return {
    itemsPerSecond: effectiveSeconds > 0 ? decayedItems / effectiveSeconds : 0,
    trust: Math.min(observedShare, MAX_TRUST),
    sinceSeconds,
  };
}
