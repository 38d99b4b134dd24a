import { byWorkKind } from '../scheduling/by-work-kind.ts';
import { isSameWorkKind, type WorkKind } from '../scheduling/work-kind.ts';
import type { MeasuredRate } from './measured-rate.ts';
import type { PoolWorker } from './pool-state.ts';

/** How the unknown turns out: `early` is as good as can be expected, `late` as bad. */
export type Outlook = 'early' | 'likely' | 'late';

/** What is left of a pace that was never measured, or of a worker that may sleep, where it turns out badly. */
const LATE_SHARE = 0.5;

/** A measurement that is no older stands for nothing: the first items are still on their way. */
const FIRST_SECONDS = 30;

/** What a worker tells of its pace at a kind of work; null where it does not. */
function reportedRate(worker: PoolWorker, kind: WorkKind): number | null {
  const told = worker.paces.find((pace) => isSameWorkKind(pace, kind))?.itemsPerSecond ?? 0;
  return told > 0 ? told : null;
}

/** The middle one of what workers tell of a kind of work, for those that have not done it; null where none does. */
export function medianRates(workers: readonly PoolWorker[]): (kind: WorkKind) => number | null {
  return byWorkKind((kind) => {
    const told = workers.map((worker) => reportedRate(worker, kind)).filter((pace) => pace !== null);
    return told.toSorted((a, b) => a - b)[Math.floor((told.length - 1) / 2)] ?? null;
  });
}

/**
 * Items a second that are expected of a worker. What it tells is what it does while it works; what was measured
 * has its pauses in it. Where the two differ, the truth is taken to lie between them, at most half way to what
 * was measured, and the outlooks are its ends, as far as the measurement can be believed.
 */
export function expectedRate(
  worker: PoolWorker,
  kind: WorkKind,
  known: { readonly measured: MeasuredRate | undefined; readonly usual: number | null },
  outlook: Outlook,
): number {
  const told = reportedRate(worker, kind) ?? standIn(known.measured);
  const unsure = outlook === 'late' && (worker.mayLeave || told === null) ? LATE_SHARE : 1;
  if (told === null) return (known.usual ?? 0) * unsure;
  if (known.measured === undefined) return told * unsure;
  const { itemsPerSecond, trust } = known.measured;
  const apart = trust * (itemsPerSecond - told);
  const moved = {
    early: Math.max(0, apart),
    likely: apart / 2,
    late: Math.min(0, apart),
  }[outlook];
  return (told + moved) * unsure;
}

/** What was measured, for a worker that tells nothing. */
function standIn(measured: MeasuredRate | undefined): number | null {
  if (measured === undefined || measured.itemsPerSecond <= 0) return null;
  return measured.sinceSeconds < FIRST_SECONDS ? null : measured.itemsPerSecond;
}
