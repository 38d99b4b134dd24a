import { byWorkKind } from '../scheduling/by-work-kind.ts';
import { isSameWorkKind, type WorkKind } from '../scheduling/work-kind.ts';
import type { MeasuredRate } from './measured-rate.ts';
import type { PoolWorker } from './pool-state.ts';

/** Which end of the range is calculated: `early` assumes the best, `late` the worst. */
export type Outlook = 'early' | 'likely' | 'late';

/** Factor of the late outlook for a rate that was never measured, and for the rate of a worker that may sleep. */
const LATE_SHARE = 0.5;

/** Shorter measurements are ignored, because the first items have not ended yet. */
const MIN_MEASURED_SECONDS = 30;

/** A worker's reported rate for a work kind; null if it reports none. Treats a reported rate of zero as unknown. */
function reportedRate(worker: PoolWorker, kind: WorkKind): number | null {
  const reported = worker.rates.find((rate) => isSameWorkKind(rate, kind))?.itemsPerSecond ?? 0;
  return reported > 0 ? reported : null;
}

/** Returns a function from a work kind to the median of its reported rates; null if no worker reports a rate. */
export function medianRates(workers: readonly PoolWorker[]): (kind: WorkKind) => number | null {
  return byWorkKind((kind) => {
    const reported = workers.map((worker) => reportedRate(worker, kind)).filter((rate) => rate !== null);
    return reported.toSorted((a, b) => a - b)[Math.floor((reported.length - 1) / 2)] ?? null;
  });
}

/**
 * Returns the items a second that a worker should finish of a work kind.
 *
 * A reported rate is the worker's rate while it works; a measured rate includes its pauses. Where they differ, the
 * `early` outlook uses the higher one and `late` the lower one, and `likely` lies half way. Less trust in the
 * measurement moves all three towards the reported rate.
 */
export function expectedRate(
  worker: PoolWorker,
  kind: WorkKind,
  known: { readonly measured: MeasuredRate | undefined; readonly median: number | null },
  outlook: Outlook,
): number {
  const reported = reportedRate(worker, kind) ?? usableMeasurement(known.measured);
  const lateShare = outlook === 'late' && (worker.mayLeave || reported === null) ? LATE_SHARE : 1;
  if (reported === null) return (known.median ?? 0) * lateShare;
  if (known.measured === undefined) return reported * lateShare;
  const { itemsPerSecond, trust } = known.measured;
  const difference = trust * (itemsPerSecond - reported);
  const correction = {
    early: Math.max(0, difference),
    likely: difference / 2,
    late: Math.min(0, difference),
  }[outlook];
  return (reported + correction) * lateShare;
}

/** The measured rate of a worker that reports none; null if the measurement is too short. */
function usableMeasurement(measured: MeasuredRate | undefined): number | null {
  if (measured === undefined || measured.itemsPerSecond <= 0) return null;
  return measured.sinceSeconds < MIN_MEASURED_SECONDS ? null : measured.itemsPerSecond;
}
