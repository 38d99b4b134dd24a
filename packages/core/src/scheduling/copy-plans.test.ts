import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Holder, planCopies } from './copy-plans.ts';
import { MAX_LEASE_ITEMS } from './lease-size.ts';

const holder = (worker: string, over: Partial<Holder> = {}): Holder => ({
  worker,
  itemsPerSecond: 1,
  slots: 1,
  unfinishedItems: 10,
  secondsSinceProgress: 0,
  silent: false,
  ...over,
});
const idle = { worker: 'idle', itemsPerSecond: 1, slots: 1 };

describe('planCopies', () => {
  it('puts the holder that should finish last first', () => {
    const plans = planCopies(
      [holder('soon'), holder('last', { itemsPerSecond: 0.1 }), holder('later', { unfinishedItems: 40 })],
      idle,
    );
    expect(plans.map((plan) => plan.holder)).toEqual(['last', 'later', 'soon']);
  });

  it('copies as many items as let both workers finish together', () => {
    expect(planCopies([holder('even')], idle)).toEqual([{ holder: 'even', items: 5, overdue: false }]);
    expect(planCopies([holder('slow', { itemsPerSecond: 1 / 9 })], idle)).toEqual([
      { holder: 'slow', items: 9, overdue: false },
    ]);
  });

  it('copies nothing if the holder would finish first', () => {
    expect(planCopies([holder('quick', { itemsPerSecond: 10, unfinishedItems: 4 })], idle)).toEqual([]);
  });

  it('copies all items of a silent holder, before any other', () => {
    const silent = holder('silent', { silent: true, itemsPerSecond: 100 });
    expect(planCopies([holder('slow', { itemsPerSecond: 0.01 }), silent], idle)[0]).toEqual({
      holder: 'silent',
      items: 10,
      overdue: true,
    });
  });

  it('copies all items of a holder that is overdue: 1.5 times the expected time plus two report intervals', () => {
    const quiet = (seconds: number) =>
      planCopies([holder('quiet', { secondsSinceProgress: seconds })], idle)[0]?.items;
    expect([quiet(35), quiet(35.1)]).toEqual([5, 10]);
  });

  it('assumes the mean rate for a worker that has reported none', () => {
    expect(planCopies([holder('new', { itemsPerSecond: null, slots: 2 })], idle)).toEqual([
      { holder: 'new', items: 3, overdue: false },
    ]);
  });
});

const someRate = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: null });
const someHolder = fc.record({
  worker: fc.constantFrom('idle', 'ann', 'bob', 'cem'),
  itemsPerSecond: someRate,
  slots: fc.integer({ min: 0, max: 1000 }),
  unfinishedItems: fc.integer({ min: 0, max: 100_000 }),
  secondsSinceProgress: fc.double({ min: -10, max: 1e9, noNaN: true }),
  silent: fc.boolean(),
});
const pool = fc.tuple(
  fc.uniqueArray(someHolder, { selector: ({ worker }) => worker }),
  fc.record({
    worker: fc.constant('idle'),
    itemsPerSecond: someRate,
    slots: fc.integer({ min: 1, max: 1000 }),
  }),
);

describe('planCopies, for any reported values', () => {
  it('plans only items of another worker: at least one, at most what it holds and a lease may hold', () => {
    fc.assert(
      fc.property(pool, ([holders, copier]) => {
        for (const { holder: name, items } of planCopies(holders, copier)) {
          const found = holders.find(({ worker }) => worker === name);
          expect(name).not.toBe('idle');
          expect(Number.isInteger(items) && items >= 1).toBe(true);
          expect(items).toBeLessThanOrEqual(Math.min(found?.unfinishedItems ?? 0, MAX_LEASE_ITEMS));
        }
      }),
    );
  });

  it('plans every silent holder, before all others', () => {
    fc.assert(
      fc.property(pool, ([holders, copier]) => {
        const silent = holders.filter(
          (each) => each.silent && each.worker !== 'idle' && each.unfinishedItems > 0,
        );
        const plans = planCopies(holders, copier);
        for (const { worker } of silent)
          expect(plans).toContainEqual(expect.objectContaining({ holder: worker, overdue: true }));
        const order = plans.map(({ overdue }) => Number(overdue));
        expect(order).toEqual(order.toSorted((one, other) => other - one));
      }),
    );
  });
});
