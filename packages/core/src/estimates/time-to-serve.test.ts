import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SimulatedWorker, timeToServe } from './time-to-serve.ts';

const server = (paces: readonly (number | null)[], freeAfter = 0): SimulatedWorker => ({
  freeAfter,
  takes: paces.flatMap((pace, place) => (pace === null ? [] : [place])),
  rateAt: (place) => paces[place] ?? 0,
});
const backwards = (paces: readonly number[]): SimulatedWorker => {
  const { takes, ...same } = server(paces);
  return { ...same, takes: takes.toReversed() };
};
const time = (items: readonly number[], servers: readonly SimulatedWorker[]) =>
  timeToServe(items, servers, items.length - 1);

describe('the time until the last job has nothing left', () => {
  it.each<[string, number[], SimulatedWorker[], number]>([
    ['is its items over the pace', [100], [server([4])], 25],
    ['adds up paces', [100], [server([4]), server([1])], 20],
    ['is nothing where nothing is left', [0], [], 0],
    ['is for ever where nobody can do it', [100, 1], [server([1, null])], Number.POSITIVE_INFINITY],
    ['begins when a worker is free', [10], [server([1], 30)], 40],
    ['comes after the jobs before', [100, 100], [server([1, 1])], 200],
    ['does not come after jobs of other workers', [100, 100], [server([1, null]), server([null, 1])], 100],
    // Both do the first for 50 s; then the second has both.
    ['has the workers of a job that has ended', [100, 30], [server([1, 1]), server([1, 2])], 60],
    // One is busy with the first for 100 s, in which the other does half of the second.
    ['is shared from when others become free', [100, 200], [server([1, 1]), server([null, 1])], 150],
    [
      'does not count on who does another at an unknown pace',
      [50, 100],
      [server([0, 9]), server([null, 1])],
      100,
    ],
    ['but does once others have done that', [50, 140], [server([0, 9]), server([1, 1])], 64],
    ['goes by each worker’s own order', [50, 100], [server([1, null]), backwards([1, 1])], 100],
    ['in which others may come later', [50, 90], [server([null, 1]), backwards([1, 2])], 30],
  ])('%s', (_, items, servers, expected) => {
    expect(time(items, servers)).toBeCloseTo(expected, 6);
  });

  const pace = fc.oneof(fc.constant(null), fc.constant(0), fc.double({ min: 0.01, max: 100, noNaN: true }));
  const pools = fc.integer({ min: 1, max: 5 }).chain((jobs) =>
    fc.record({
      items: fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: jobs, maxLength: jobs }),
      servers: fc.array(
        fc.record({
          paces: fc.array(pace, { minLength: jobs, maxLength: jobs }),
          freeAfter: fc.double({ min: 0, max: 100, noNaN: true }),
          lastFirst: fc.boolean(),
        }),
        { minLength: 1, maxLength: 6 },
      ),
    }),
  );
  const serversOf = (
    drawn: readonly {
      readonly paces: (number | null)[];
      readonly freeAfter: number;
      readonly lastFirst: boolean;
    }[],
  ) =>
    drawn.map(({ paces, freeAfter, lastFirst }) => {
      const { takes, ...same } = server(paces, freeAfter);
      return { ...same, takes: lastFirst ? takes.toReversed() : takes };
    });
  /** Later, by more than what rounding makes. */
  const later = (one: number, other: number) => one > other * (1 + 1e-6) + 1e-6;

  it('is never later with one more worker, or with a faster one', () => {
    fc.assert(
      fc.property(pools, fc.double({ min: 1, max: 10, noNaN: true }), ({ items, servers }, factor) => {
        const [, ...fewer] = servers;
        const all = time(items, serversOf(servers));
        expect(later(all, time(items, serversOf(fewer)))).toBe(false);
        const faster = servers.map(({ paces, ...same }, n) => ({
          paces: n === 0 ? paces.map((each) => (each === null ? null : each * factor)) : paces,
          ...same,
        }));
        expect(later(time(items, serversOf(faster)), all)).toBe(false);
      }),
    );
  });

  it('is never later with less to do, and never before all workers together could do it', () => {
    fc.assert(
      fc.property(pools, fc.double({ min: 0, max: 1, noNaN: true }), ({ items, servers }, share) => {
        const all = time(items, serversOf(servers));
        const less = items.map((count, n) => (n === 0 ? count * share : count));
        expect(later(time(less, serversOf(servers)), all)).toBe(false);
        const last = items.length - 1;
        const best = servers.reduce((sum, { paces }) => sum + (paces[last] ?? 0), 0);
        expect(later((items[last] ?? 0) / best, all)).toBe(false);
      }),
    );
  });
});
