/** Seconds of work that a lease should hold: short enough for a newcomer, long enough for few requests. */
export const LEASE_TARGET_SECONDS = 45;
/** Most items of one lease, however fast the worker says it is. */
export const MAX_LEASE_ITEMS = 500;
/** Items a slot that a worker gets whose rate is not known yet. */
const UNKNOWN_ITEMS_PER_SLOT = 2;

/** What is known when a worker asks for tasks of one job. */
export interface LeaseDemand {
  /** Items a second that the worker does of this job's type and model; null where nothing is known. */
  readonly itemsPerSecond: number | null;
  /** Items that it runs at once. */
  readonly slots: number;
  readonly shardSize: number;
  /** Items of the job that are in no lease and have no outcome. */
  readonly pendingItems: number;
  /** The worker's part of the speed of all that work on this, from 0 to 1; 1 where it is alone or unknown. */
  readonly shareOfPoolRate: number;
  /** Most tasks that it asks for, or null. */
  readonly leaseLimit: number | null;
}

/** What the workers that do one kind of work say of their pace. */
export interface PoolRate {
  readonly itemsPerSecond: number;
  readonly workers: number;
}

/**
 * A worker's part of its pool's speed. Never less than a quarter of an equal part: somebody who boasts makes
 * the leases of others smaller, but not to nothing.
 */
export function shareOfPoolRate(own: number | null, pool: PoolRate): number {
  if (own === null) return 1 / (pool.workers + 1);
  const least = 1 / (4 * Math.max(1, pool.workers));
  return Math.max(least, own / Math.max(pool.itemsPerSecond, own, Number.MIN_VALUE));
}

/**
 * How many tasks a lease should hold: what the worker does in 45 seconds, at most its fair half of what is
 * left, at least one. A worker can't hoard by boasting: the cap holds for any rate.
 */
export function leaseSize(demand: LeaseDemand): number {
  const { itemsPerSecond, slots, shardSize, pendingItems, shareOfPoolRate, leaseLimit } = demand;
  const wanted = wantedItems(itemsPerSecond, slots);
  const fair = (pendingItems * Math.min(1, Math.max(0, shareOfPoolRate))) / 2;
  const items = Math.min(wanted, fair, MAX_LEASE_ITEMS);
  return Math.max(1, Math.min(Math.floor(items / shardSize), leaseLimit ?? Number.MAX_SAFE_INTEGER));
}

/** Items that a worker may hold and still get more: twice what it does in the time of a lease, four a slot at least. */
export function maxHeldItems(itemsPerSecond: number | null, slots: number): number {
  const lease = Math.min(wantedItems(itemsPerSecond, slots), MAX_LEASE_ITEMS);
  return 2 * Math.max(lease, UNKNOWN_ITEMS_PER_SLOT * slots);
}

function wantedItems(itemsPerSecond: number | null, slots: number): number {
  return itemsPerSecond === null
    ? UNKNOWN_ITEMS_PER_SLOT * slots
    : Math.max(0, itemsPerSecond) * LEASE_TARGET_SECONDS;
}
