import type { Client } from '@macbatch/client';

/** What the control plane said at one moment of when a job should end, in seconds from the first submission. */
export interface Estimate {
  readonly at: number;
  readonly low: number;
  readonly likely: number;
  readonly high: number;
}

/** How good the estimates of one job's end were. */
export interface EstimateError {
  readonly estimates: number;
  /** Median of how far the likely rest was from the real one, in percent of the real one. */
  readonly medianPercent: number;
  /** Estimates whose range held the real end. */
  readonly inRange: number;
}

/** What is said now of a job's end; null where nothing can be said yet. */
export async function estimateOf(client: Client, jobId: string, at: number): Promise<Estimate | null> {
  const { estimate } = await client.call('explainJob', { params: { id: jobId } });
  if (estimate === null) return null;
  const { low_seconds: low, likely_seconds: likely, high_seconds: high } = estimate;
  return { at, low: at + low, likely: at + likely, high: at + high };
}

/** Null where there are none. */
export function errorOf(estimates: readonly Estimate[], end: number): EstimateError | null {
  const made = estimates.filter(({ at }) => at < end);
  if (made.length === 0) return null;
  const off = made
    .map(({ at, likely }) => (100 * Math.abs(likely - end)) / (end - at))
    .toSorted((one, other) => one - other);
  return {
    estimates: made.length,
    medianPercent: off[Math.floor(off.length / 2)] ?? 0,
    inRange: made.filter(({ low, high }) => low <= end && end <= high).length,
  };
}
