/** Seconds of work that a lease should hold: short for newcomers, long enough to need few requests. */
export const LEASE_TARGET_SECONDS = 45;
/** Most items of one lease, even if the worker reports a higher rate. */
export const MAX_LEASE_ITEMS = 500;
/** Items per slot for a worker whose rate is unknown. */
const DEFAULT_ITEMS_PER_SLOT = 2;

/** What is known when a worker asks for tasks of one job. */
export interface LeaseDemand {
  /** Items a second of this work kind on this worker; null if unknown. */
  readonly itemsPerSecond: number | null;
  /** Number of items that it runs concurrently. */
  readonly slots: number;
  readonly shardSize: number;
  /** Items of the job that are in no lease and have no outcome. */
  readonly pendingItems: number;
  /** The worker's share of the pool's rate for this work kind, 0 to 1; 1 if it is alone or unknown. */
  readonly shareOfPoolRate: number;
  /** Most tasks that it asks for, or null. */
  readonly leaseLimit: number | null;
}

/** The sum of the rates that workers report for one work kind. */
export interface PoolRate {
  readonly itemsPerSecond: number;
  readonly workers: number;
}

/**
 * Computes a worker's share of its pool's rate.
 *
 * The share is at least a quarter of an equal part. A worker that overstates its rate shrinks the leases of the
 * others, but never to nothing.
 */
export function shareOfPoolRate(own: number | null, pool: PoolRate): number {
  if (own === null) return 1 / (pool.workers + 1);
  const smallestShare = 1 / (4 * Math.max(1, pool.workers));
  return Math.max(smallestShare, own / Math.max(pool.itemsPerSecond, own, Number.MIN_VALUE));
}

/**
 * Computes how many tasks a lease holds: the work of 45 seconds, at most half of the worker's share of the
 * pending items, at least one task.
 *
 * `MAX_LEASE_ITEMS` caps every lease, so an overstated rate cannot hoard a job.
 */
export function leaseSize(demand: LeaseDemand): number {
  const { itemsPerSecond, slots, shardSize, pendingItems, shareOfPoolRate, leaseLimit } = demand;
  const wanted = wantedItems(itemsPerSecond, slots);
  const fair = (pendingItems * Math.min(1, Math.max(0, shareOfPoolRate))) / 2;
  const items = Math.min(wanted, fair, MAX_LEASE_ITEMS);
  return Math.max(1, Math.min(Math.floor(items / shardSize), leaseLimit ?? Number.MAX_SAFE_INTEGER));
}

/** A worker that holds fewer items than this may lease more: two leases, at least four items a slot. */
export function maxHeldItems(itemsPerSecond: number | null, slots: number): number {
  const lease = Math.min(wantedItems(itemsPerSecond, slots), MAX_LEASE_ITEMS);
  return 2 * Math.max(lease, DEFAULT_ITEMS_PER_SLOT * slots);
}

function wantedItems(itemsPerSecond: number | null, slots: number): number {
  return itemsPerSecond === null
    ? DEFAULT_ITEMS_PER_SLOT * slots
    : Math.max(0, itemsPerSecond) * LEASE_TARGET_SECONDS;
}
