import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SimulatedWorker, timeToServe } from './time-to-serve.ts';

const worker = (rates: readonly (number | null)[], freeAfter = 0): SimulatedWorker => ({
  freeAfter,
  takes: rates.flatMap((rate, position) => (rate === null ? [] : [position])),
  rateAt: (position) => rates[position] ?? 0,
});
const reversedWorker = (rates: readonly number[]): SimulatedWorker => {
  const { takes, ...same } = worker(rates);
  return { ...same, takes: takes.toReversed() };
};
const secondsFor = (items: readonly number[], workers: readonly SimulatedWorker[]) =>
  timeToServe(items, workers, items.length - 1);

describe('timeToServe', () => {
  it.each<[string, number[], SimulatedWorker[], number]>([
    ['divides the items by the rate', [100], [worker([4])], 25],
    ['adds up rates', [100], [worker([4]), worker([1])], 20],
    ['returns 0 if no items are left', [0], [], 0],
    [
      'returns infinity if no worker can run the job',
      [100, 1],
      [worker([1, null])],
      Number.POSITIVE_INFINITY,
    ],
    ['waits until the worker is free', [10], [worker([1], 30)], 40],
    ['includes the time of earlier jobs', [100, 100], [worker([1, 1])], 200],
    ['ignores earlier jobs of other workers', [100, 100], [worker([1, null]), worker([null, 1])], 100],
    // Both run the first job for 50 s, then both run the second.
    ['adds the workers of a job that has ended', [100, 30], [worker([1, 1]), worker([1, 2])], 60],
    // One runs the first job for 100 s while the other runs half of the second.
    [
      'shares the job with a worker as soon as it is free',
      [100, 200],
      [worker([1, 1]), worker([null, 1])],
      150,
    ],
    [
      'does not count on a worker with an unknown rate on an earlier job',
      [50, 100],
      [worker([0, 9]), worker([null, 1])],
      100,
    ],
    [
      'counts on that worker once others have run the earlier job',
      [50, 140],
      [worker([0, 9]), worker([1, 1])],
      64,
    ],
    ["follows each worker's own order", [50, 100], [worker([1, null]), reversedWorker([1, 1])], 100],
    [
      'follows an order in which the target comes first',
      [50, 90],
      [worker([null, 1]), reversedWorker([1, 2])],
      30,
    ],
  ])('%s', (_, items, workers, expected) => {
    expect(secondsFor(items, workers)).toBeCloseTo(expected, 6);
  });

  const someRate = fc.oneof(
    fc.constant(null),
    fc.constant(0),
    fc.double({ min: 0.01, max: 100, noNaN: true }),
  );
  const pools = fc.integer({ min: 1, max: 5 }).chain((jobs) =>
    fc.record({
      items: fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: jobs, maxLength: jobs }),
      workers: fc.array(
        fc.record({
          rates: fc.array(someRate, { minLength: jobs, maxLength: jobs }),
          freeAfter: fc.double({ min: 0, max: 100, noNaN: true }),
          lastFirst: fc.boolean(),
        }),
        { minLength: 1, maxLength: 6 },
      ),
    }),
  );
  const workersOf = (
    drawn: readonly {
      readonly rates: (number | null)[];
      readonly freeAfter: number;
      readonly lastFirst: boolean;
    }[],
  ) =>
    drawn.map(({ rates, freeAfter, lastFirst }) => {
      const { takes, ...same } = worker(rates, freeAfter);
      return { ...same, takes: lastFirst ? takes.toReversed() : takes };
    });
  /** Later by more than a rounding error. */
  const later = (one: number, other: number) => one > other * (1 + 1e-6) + 1e-6;

  it('never gets later with an additional or a faster worker', () => {
    fc.assert(
      fc.property(pools, fc.double({ min: 1, max: 10, noNaN: true }), ({ items, workers }, factor) => {
        const [, ...fewer] = workers;
        const all = secondsFor(items, workersOf(workers));
        expect(later(all, secondsFor(items, workersOf(fewer)))).toBe(false);
        const faster = workers.map(({ rates, ...same }, n) => ({
          rates: n === 0 ? rates.map((each) => (each === null ? null : each * factor)) : rates,
          ...same,
        }));
        expect(later(secondsFor(items, workersOf(faster)), all)).toBe(false);
      }),
    );
  });

  it('never gets later with fewer items, and is never faster than all workers together', () => {
    fc.assert(
      fc.property(pools, fc.double({ min: 0, max: 1, noNaN: true }), ({ items, workers }, share) => {
        const all = secondsFor(items, workersOf(workers));
        const less = items.map((count, n) => (n === 0 ? count * share : count));
        expect(later(secondsFor(less, workersOf(workers)), all)).toBe(false);
        const last = items.length - 1;
        const best = workers.reduce((sum, { rates }) => sum + (rates[last] ?? 0), 0);
        expect(later((items[last] ?? 0) / best, all)).toBe(false);
      }),
    );
  });
});
