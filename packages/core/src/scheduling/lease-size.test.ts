import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LeaseDemand, leaseSize, MAX_LEASE_ITEMS, maxHeldItems, shareOfPoolRate } from './lease-size.ts';

const demand = (over: Partial<LeaseDemand> = {}): LeaseDemand => ({
  itemsPerSecond: 2,
  slots: 4,
  shardSize: 10,
  pendingItems: 100_000,
  shareOfPoolRate: 1,
  leaseLimit: null,
  ...over,
});

const demands = fc.record({
  itemsPerSecond: fc.option(fc.double({ min: 0, max: 1e12, noNaN: true })),
  slots: fc.integer({ min: 1, max: 1000 }),
  shardSize: fc.integer({ min: 1, max: 10_000 }),
  pendingItems: fc.integer({ min: 0, max: 1e9 }),
  shareOfPoolRate: fc.double({ min: 0, max: 1, noNaN: true }),
  leaseLimit: fc.option(fc.integer({ min: 1, max: 1000 })),
});

describe('leaseSize', () => {
  it.each([
    ['the tasks of 45 seconds of work', {}, 9],
    ['the tasks of two items a slot if the rate is unknown', { itemsPerSecond: null, slots: 16 }, 3],
    ['at least one task', { itemsPerSecond: 0.001 }, 1],
    ['the tasks of at most 500 items', { itemsPerSecond: 1e9 }, 50],
    ['one task if a shard is larger than the wanted items', { shardSize: 5000 }, 1],
    ['at most half of the pending items', { pendingItems: 100 }, 5],
    ["at most the worker's share of that half", { pendingItems: 100, shareOfPoolRate: 0.5 }, 2],
    ['the lease limit if that is lower', { leaseLimit: 3 }, 3],
  ])('returns %s', (_, over, tasks) => {
    expect(leaseSize(demand(over))).toBe(tasks);
  });

  it('returns a whole number of at least 1, within the lease limit and the cap', () => {
    fc.assert(
      fc.property(demands, (asked) => {
        const tasks = leaseSize(asked);
        expect(Number.isSafeInteger(tasks)).toBe(true);
        expect(tasks).toBeGreaterThanOrEqual(1);
        if (asked.leaseLimit !== null) expect(tasks).toBeLessThanOrEqual(asked.leaseLimit);
        if (tasks > 1) expect(tasks * asked.shardSize).toBeLessThanOrEqual(MAX_LEASE_ITEMS);
        if (tasks > 1) expect(tasks * asked.shardSize).toBeLessThanOrEqual(asked.pendingItems / 2);
      }),
    );
  });

  it('never shrinks for a faster worker, more pending items or a larger share', () => {
    const more = fc.double({ min: 1, max: 10, noNaN: true });
    fc.assert(
      fc.property(demands, more, (asked, factor) => {
        const size = leaseSize(asked);
        const rate = asked.itemsPerSecond;
        if (rate !== null)
          expect(leaseSize({ ...asked, itemsPerSecond: rate * factor })).toBeGreaterThanOrEqual(size);
        expect(leaseSize({ ...asked, pendingItems: asked.pendingItems * factor })).toBeGreaterThanOrEqual(
          size,
        );
        const share = Math.min(1, asked.shareOfPoolRate * factor);
        expect(leaseSize({ ...asked, shareOfPoolRate: share })).toBeGreaterThanOrEqual(size);
      }),
    );
  });
});

it.each([
  ['four items a slot if the rate is unknown', null, 4, 16],
  ['at least four items a slot for the slowest worker', 0, 4, 16],
  ['the items of two leases', 2, 4, 180],
  ['twice the lease cap for a worker that overstates its rate', 1e9, 4, 2 * MAX_LEASE_ITEMS],
])('maxHeldItems returns %s', (_, rate, slots, items) => {
  expect(maxHeldItems(rate, slots)).toBe(items);
});

describe('shareOfPoolRate', () => {
  it.each([
    ['1 for a single worker', 2, { itemsPerSecond: 2, workers: 1 }, 1],
    ["the worker's part of the sum of rates", 2, { itemsPerSecond: 8, workers: 3 }, 0.25],
    ['1 if the pool has no rate yet', 2, { itemsPerSecond: 0, workers: 0 }, 1],
    ['an equal part if its own rate is unknown', null, { itemsPerSecond: 9, workers: 3 }, 0.25],
    [
      'a quarter of an equal part beside a worker that overstates its rate',
      2,
      { itemsPerSecond: 1e9, workers: 5 },
      0.05,
    ],
    ['a quarter of an equal part for a rate of zero', 0, { itemsPerSecond: 0, workers: 2 }, 0.125],
  ])('returns %s', (_, own, pool, share) => {
    expect(shareOfPoolRate(own, pool)).toBeCloseTo(share);
  });
});
