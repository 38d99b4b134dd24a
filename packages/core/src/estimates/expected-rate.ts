import { byWorkKind } from '../scheduling/by-work-kind.ts';
import { isSameWorkKind, type WorkKind } from '../scheduling/work-kind.ts';
import type { MeasuredRate } from './measured-rate.ts';
import type { PoolWorker } from './pool-state.ts';

/** Which end of the range is calculated: `early` assumes the best, `late` the worst. */
export type Outlook = 'early' | 'likely' | 'late';

/** In the late outlook, the share left of a rate that was never measured, or of a worker that may sleep. */
const LATE_SHARE = 0.5;

/** Ignore measurements younger than this: the first items have not ended yet. */
const MIN_MEASURED_SECONDS = 30;

/** A worker's reported rate for a work kind; null if it reports none. Treats a reported rate of zero as unknown. */
function reportedRate(worker: PoolWorker, kind: WorkKind): number | null {
  const reported = worker.rates.find((rate) => isSameWorkKind(rate, kind))?.itemsPerSecond ?? 0;
  return reported > 0 ? reported : null;
}

/** The median of the reported rates per work kind, for workers that have not run it; null if nobody reports one. */
export function medianRates(workers: readonly PoolWorker[]): (kind: WorkKind) => number | null {
  return byWorkKind((kind) => {
    const reported = workers.map((worker) => reportedRate(worker, kind)).filter((rate) => rate !== null);
    return reported.toSorted((a, b) => a - b)[Math.floor((reported.length - 1) / 2)] ?? null;
  });
}

/**
 * Expected items a second of a worker for a work kind.
 *
 * A reported rate is the worker's rate while it works; a measured rate includes its pauses. Where they differ, the
 * early and the late outlook take the two ends, weighted by the trust in the measurement, and `likely` lies half way.
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

/** The measured rate of a worker that reports none; null if the measurement is too young. */
function usableMeasurement(measured: MeasuredRate | undefined): number | null {
  if (measured === undefined || measured.itemsPerSecond <= 0) return null;
  return measured.sinceSeconds < MIN_MEASURED_SECONDS ? null : measured.itemsPerSecond;
}
