import { LEASE_TARGET_SECONDS, MAX_LEASE_ITEMS } from './lease-size.ts';

/** Longest time in seconds that a worker keeps outcomes of a running task before it reports them. */
export const REPORT_SECONDS = 10;

/** A holder is overdue after this many times the expected time for its unfinished items … */
const OVERDUE_FACTOR = 1.5;
/** … plus this many report intervals. */
const OVERDUE_REPORTS = 2;
/** Assumed items per slot and second when no worker has reported a rate. */
const DEFAULT_RATE_PER_SLOT = 1 / 8;
/** Lower bound of a rate, so that a division by it stays finite. */
const MIN_RATE = 1e-9;

/** A worker that does one kind of work, as the control plane sees it. */
export interface CopyWorker {
  readonly worker: string;
  /** Its reported rate; null if it has reported none. */
  readonly itemsPerSecond: number | null;
  /** Number of items that it runs concurrently. */
  readonly slots: number;
}

/** A worker that holds tasks of that kind. */
export interface Holder extends CopyWorker {
  /** Items of its leases without an outcome. */
  readonly unfinishedItems: number;
  /** Seconds since it last reported an outcome or got a lease. */
  readonly secondsSinceProgress: number;
  /** It has missed heartbeats. */
  readonly silent: boolean;
}

export interface CopyPlan {
  readonly holder: string;
  /** Most items to copy, starting with the last one. */
  readonly items: number;
  /** The holder is silent or overdue and may never finish. */
  readonly overdue: boolean;
}

/**
 * Plans which holders' unfinished items an idle worker copies, in the order to try them.
 *
 * The slowest holder comes first, with as many items as let both workers finish at the same time. Holders that
 * would finish before the copy are left out. A silent or overdue holder may never finish: it comes first, and
 * all its items may be copied.
 *
 * Follows the backup tasks of MapReduce as refined by LATE (Zaharia et al., OSDI 2008): longest time to the end
 * first, and only on idle machines.
 */
export function planCopies(holders: readonly Holder[], copier: CopyWorker): CopyPlan[] {
  const defaultPerSlot = meanRatePerSlot([...holders, copier]);
  const rateOf = ({ itemsPerSecond, slots }: CopyWorker) =>
    Math.max(MIN_RATE, knownRate(itemsPerSecond) ?? defaultPerSlot * Math.max(1, slots));
  const copierRate = rateOf(copier);
  return holders
    .filter(({ worker, unfinishedItems }) => worker !== copier.worker && unfinishedItems > 0)
    .map((holder) => ({ holder, rate: rateOf(holder), seconds: secondsToFinish(holder, rateOf(holder)) }))
    .toSorted((a, b) => (a.seconds === b.seconds ? 0 : b.seconds - a.seconds))
    .map(({ holder, rate, seconds }) => {
      const { unfinishedItems } = holder;
      const overdue = seconds === Number.POSITIVE_INFINITY;
      const share = overdue ? 1 : copierRate / (copierRate + rate);
      const wanted = Math.min(
        Math.floor(unfinishedItems * share),
        Math.ceil(copierRate * LEASE_TARGET_SECONDS),
      );
      const items = Math.min(unfinishedItems, MAX_LEASE_ITEMS, Math.max(wanted, copier.slots, 1));
      return {
        plan: { holder: holder.worker, items, overdue },
        copyEndsFirst: Math.max(items, copier.slots) / copierRate < seconds,
      };
    })
    .filter(({ copyEndsFirst }) => copyEndsFirst)
    .map(({ plan }) => plan);
}

/** Expected seconds until a holder finishes; infinite if it is silent or overdue. */
function secondsToFinish(holder: Holder, rate: number): number {
  const { unfinishedItems, slots, secondsSinceProgress, silent } = holder;
  const overdueAfter =
    (OVERDUE_FACTOR * Math.max(unfinishedItems, slots)) / rate + OVERDUE_REPORTS * REPORT_SECONDS;
  return silent || secondsSinceProgress > overdueAfter ? Number.POSITIVE_INFINITY : unfinishedItems / rate;
}

/** Mean items per slot and second of the workers that have reported a rate. */
function meanRatePerSlot(workers: readonly CopyWorker[]): number {
  const rates = workers.flatMap(({ itemsPerSecond, slots }) => {
    const rate = knownRate(itemsPerSecond);
    return rate === null ? [] : [rate / Math.max(1, slots)];
  });
  if (rates.length === 0) return DEFAULT_RATE_PER_SLOT;
  return rates.reduce((sum, each) => sum + each, 0) / rates.length;
}

/** Treats a reported rate of zero as unknown. */
function knownRate(itemsPerSecond: number | null): number | null {
  return itemsPerSecond !== null && itemsPerSecond > 0 ? itemsPerSecond : null;
}
