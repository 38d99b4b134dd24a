import { LEASE_TARGET_SECONDS, MAX_LEASE_ITEMS } from './lease-size.ts';

/** How long workers let outcomes of a task that still runs wait before they report them, in seconds. */
export const REPORT_SECONDS = 10;

/** A holder is overdue when it has been quiet for so many times what its rest should take. */
const OVERDUE_FACTOR = 1.5;
/** And this many report periods more. */
const OVERDUE_REPORTS = 2;
/** Items a second and slot of a worker of which nothing is known, where nothing is known of any. */
const UNKNOWN_ITEMS_PER_SLOT_SECOND = 1 / 8;
/** Slower than any: what is divided by a pace stays finite. */
const LEAST_PACE = 1e-9;

/** A worker that does one kind of work, as the control plane sees it. */
export interface CopyWorker {
  readonly worker: string;
  /** Its pace; null where it has told none. */
  readonly itemsPerSecond: number | null;
  /** Items that it runs at once. */
  readonly slots: number;
}

/** A worker that holds tasks of that kind. */
export interface Holder extends CopyWorker {
  /** Items of its leases that have no outcome. */
  readonly unfinishedItems: number;
  /** Seconds since it last reported an outcome or was given a lease. */
  readonly secondsSinceProgress: number;
  /** It has missed heartbeats. */
  readonly silent: boolean;
}

export interface CopyPlan {
  readonly holder: string;
  /** Most items to copy, from the last one back. */
  readonly items: number;
  /** The holder may never end: it is silent, or overdue. */
  readonly overdue: boolean;
}

/**
 * Whose unfinished items a worker with nothing in flight should copy: of the holder that will end last, so many
 * that both end together. Holders in the order in which they are to be tried; none whose rest the copier could
 * not end sooner. A holder that is silent or overdue may never end, and comes first with all that it holds.
 *
 * The rule and its figures are those of the backup tasks of MapReduce in the form of LATE (OSDI 2008): the
 * longest time to the end first, and only for idle machines.
 */
export function planCopies(holders: readonly Holder[], copier: CopyWorker): CopyPlan[] {
  const usual = usualPace([...holders, copier]);
  const pace = ({ itemsPerSecond, slots }: CopyWorker) =>
    Math.max(LEAST_PACE, known(itemsPerSecond) ?? usual * Math.max(1, slots));
  const own = pace(copier);
  return holders
    .filter(({ worker, unfinishedItems }) => worker !== copier.worker && unfinishedItems > 0)
    .map((holder) => ({ holder, theirs: pace(holder), rest: restSeconds(holder, pace(holder)) }))
    .toSorted((a, b) => (a.rest === b.rest ? 0 : b.rest - a.rest))
    .map(({ holder, theirs, rest }) => {
      const { unfinishedItems } = holder;
      const overdue = rest === Number.POSITIVE_INFINITY;
      const share = overdue ? 1 : own / (own + theirs);
      const wanted = Math.min(Math.floor(unfinishedItems * share), Math.ceil(own * LEASE_TARGET_SECONDS));
      const items = Math.min(unfinishedItems, MAX_LEASE_ITEMS, Math.max(wanted, copier.slots, 1));
      return {
        plan: { holder: holder.worker, items, overdue },
        sooner: Math.max(items, copier.slots) / own < rest,
      };
    })
    .filter(({ sooner }) => sooner)
    .map(({ plan }) => plan);
}

/** Seconds that a holder should need for its rest; infinite where it is silent or overdue. */
function restSeconds(holder: Holder, pace: number): number {
  const { unfinishedItems, slots, secondsSinceProgress, silent } = holder;
  const patience =
    (OVERDUE_FACTOR * Math.max(unfinishedItems, slots)) / pace + OVERDUE_REPORTS * REPORT_SECONDS;
  return silent || secondsSinceProgress > patience ? Number.POSITIVE_INFINITY : unfinishedItems / pace;
}

/** Items a second and slot, in the mean of those that have told a pace. */
function usualPace(workers: readonly CopyWorker[]): number {
  const paces = workers.flatMap(({ itemsPerSecond, slots }) => {
    const pace = known(itemsPerSecond);
    return pace === null ? [] : [pace / Math.max(1, slots)];
  });
  if (paces.length === 0) return UNKNOWN_ITEMS_PER_SLOT_SECOND;
  return paces.reduce((sum, each) => sum + each, 0) / paces.length;
}

/** A worker that tells of standing still has told nothing. */
function known(itemsPerSecond: number | null): number | null {
  return itemsPerSecond !== null && itemsPerSecond > 0 ? itemsPerSecond : null;
}
