import type { Client } from '@macbatch/client';

/** An estimate of the control plane. All values are seconds after the first submission. */
export interface Estimate {
  readonly at: number;
  readonly low: number;
  readonly likely: number;
  readonly high: number;
}

/** The error of the estimates of one job's end. */
export interface EstimateError {
  readonly estimates: number;
  /** Median difference between the estimated and the real remaining time, in percent of the real one. */
  readonly medianPercent: number;
  /** The number of estimates whose range contains the real end. */
  readonly inRange: number;
}

/** Fetches the estimate of a job's end. Returns null if there is none yet. */
export async function fetchEstimate(client: Client, jobId: string, at: number): Promise<Estimate | null> {
  const { estimate } = await client.call('explainJob', { params: { id: jobId } });
  if (estimate === null) return null;
  const { low_seconds: low, likely_seconds: likely, high_seconds: high } = estimate;
  return { at, low: at + low, likely: at + likely, high: at + high };
}

/** Measures the error of estimates. Returns null if there are none before the end. */
export function estimateError(estimates: readonly Estimate[], end: number): EstimateError | null {
  const before = estimates.filter(({ at }) => at < end);
  if (before.length === 0) return null;
  const errors = before
    .map(({ at, likely }) => (100 * Math.abs(likely - end)) / (end - at))
    .toSorted((one, other) => one - other);
  return {
    estimates: before.length,
    medianPercent: errors[Math.floor(errors.length / 2)] ?? 0,
    inRange: before.filter(({ low, high }) => low <= end && end <= high).length,
  };
}
