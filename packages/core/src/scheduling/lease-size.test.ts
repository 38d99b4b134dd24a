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

describe('the size of a lease', () => {
  it.each([
    ['45 seconds of work', {}, 9],
    ['two items a slot where the rate is unknown', { itemsPerSecond: null, slots: 16 }, 3],
    ['one at least', { itemsPerSecond: 0.001 }, 1],
    ['500 items at most', { itemsPerSecond: 1e9 }, 50],
    ['one of a shard that is larger than all of this', { shardSize: 5000 }, 1],
    ['half of what is left', { pendingItems: 100 }, 5],
    ['its share of that half', { pendingItems: 100, shareOfPoolRate: 0.5 }, 2],
    ['what the worker asks for, if that is less', { leaseLimit: 3 }, 3],
  ])('is %s', (_, over, tasks) => {
    expect(leaseSize(demand(over))).toBe(tasks);
  });

  it('is a whole number from 1, never above what was asked for or the cap', () => {
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

  it('never shrinks when the worker is faster, more is left, or its share is larger', () => {
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
  ['four items a slot where the pace is not known', null, 4, 16],
  ['that much at least, however slow it is', 0, 4, 16],
  ['two leases', 2, 4, 180],
  ['two leases of the one who boasts', 1e9, 4, 2 * MAX_LEASE_ITEMS],
])('plenty is %s', (_, pace, slots, items) => {
  expect(maxHeldItems(pace, slots)).toBe(items);
});

describe('the share of the pool', () => {
  it.each([
    ['all of it alone', 2, { itemsPerSecond: 2, workers: 1 }, 1],
    ['its part', 2, { itemsPerSecond: 8, workers: 3 }, 0.25],
    ['all of it where the pool has not heard of it yet', 2, { itemsPerSecond: 0, workers: 0 }, 1],
    ['an equal part where its pace is unknown', null, { itemsPerSecond: 9, workers: 3 }, 0.25],
    ['a quarter of an equal part beside one who boasts', 2, { itemsPerSecond: 1e9, workers: 5 }, 0.05],
    ['nothing less where it stands still', 0, { itemsPerSecond: 0, workers: 2 }, 0.125],
  ])('is %s', (_, own, pool, share) => {
    expect(shareOfPoolRate(own, pool)).toBeCloseTo(share);
  });
});
