import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runSimulated, type SimulatedServer } from '../testing/simulated-throughput.ts';
import { NO_SEARCH, searchMeasured } from './concurrency-search.ts';

/** The search has to be near the best rate after this many items. */
const SOON = 200;
/** Each simulation runs with these seeds, and with 6 to 16 items at most. */
const SEEDS = Array.from({ length: 40 }, (_, n) => n + 1);

/** A source of numbers in (0, 1) that repeats itself for a seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}

/** Lengths of items as answers of models have them: most are short, few are long. */
const lengths = (next: () => number) => () => -Math.log(next());

const SERVERS: readonly [name: string, server: SimulatedServer][] = [
  ['has one slot', { rate: () => 1, slots: 1 }],
  ['has four slots', { rate: (running) => running, slots: 4 }],
  ['runs all as fast as one', { rate: (running) => running }],
  ['gains less with each item', { rate: (running) => (10 * running) / (running + 3) }],
  ['thrashes above four', { rate: (running) => (running <= 4 ? running : 4 * (4 / running) ** 1.5) }],
  ['swaps above two', { rate: (running) => (running <= 2 ? running : 2 * (2 / running) ** 2) }],
];
const NOISY: SimulatedServer = {
  rate: (running, item) => Math.min(running, 4) * (1 + 0.2 * Math.sin(item * 1.7)),
  slots: 4,
};

/** The part of the best rate that is reached between two numbers of items, for each seed, the lowest first. */
function reached(server: SimulatedServer, isCounted: boolean): readonly number[] {
  return SEEDS.map((seed) => {
    const highest = 6 + (seed % 11);
    const run = runSimulated(server, { count: 600, highest, units: lengths(random(seed)), isCounted });
    expect(Math.max(...run.limits)).toBeLessThanOrEqual(highest);
    return run.efficiency(SOON);
  }).toSorted((one, other) => one - other);
}

const median = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 2)];

it.each([...SERVERS, ['has a noisy speed', NOISY] as const])(
  'reaches nine tenths of the best rate after 200 items on a server that %s',
  (_, server) => {
    const parts = reached(server, true);
    expect(median(parts)).toBeGreaterThan(0.9);
    expect(parts[0]).toBeGreaterThan(0.75);
  },
);

it('reaches nine tenths of the best rate where no tokens are counted and items differ', () => {
  for (const slots of [4, 8]) {
    const parts = reached({ rate: (running) => running, slots }, false);
    expect(median(parts)).toBeGreaterThan(0.9);
    expect(parts[0]).toBeGreaterThan(0.6);
  }
});

it('is as fast as one fixed number of items within a tenth, whatever that number is', () => {
  for (const slots of [1, 2, 4, 8]) {
    const server: SimulatedServer = { rate: (running) => running, slots };
    const items = { count: 400, highest: 8 };
    const fixed = Math.max(
      ...[1, 2, 4, 8].map((limit) => runSimulated(server, { ...items, fixed: limit }).efficiency(SOON)),
    );
    expect(runSimulated(server, items).efficiency(SOON)).toBeGreaterThan(0.9 * fixed);
  }
});

it('runs fewer items when someone uses the Mac, and as many as before afterwards', () => {
  const isUsed = (item: number) => item >= 300 && item < 700;
  const server: SimulatedServer = {
    rate: (running, item) => {
      if (!isUsed(item)) return Math.min(running, 8);
      return running <= 2 ? 0.8 * running : 1.6 * (2 / running) ** 0.6;
    },
  };
  const run = runSimulated(server, { count: 1200, highest: 8 });
  const limitsIn = (from: number, to: number) => new Set(run.limits.slice(from, to));
  expect(Math.min(...limitsIn(200, 300))).toBeGreaterThanOrEqual(6);
  expect(Math.max(...limitsIn(500, 700))).toBeLessThanOrEqual(3);
  expect(run.efficiency(500, 700)).toBeGreaterThan(0.85);
  expect(Math.min(...limitsIn(1000, 1200))).toBeGreaterThanOrEqual(6);
});

it('lowers the limit when more items only take longer', () => {
  const run = runSimulated({ rate: () => 1, slots: 1 }, { count: 600, highest: 8 });
  expect(run.limits.at(-1)).toBe(1);
  expect(run.efficiency(0)).toBeGreaterThan(0.99);
});

it.each(SERVERS)('changes the limit ever more rarely on a server that %s', (_, server) => {
  const { limits } = runSimulated(server, { count: 3000, highest: 8, units: lengths(random(7)) });
  const changes = (from: number, to: number) =>
    limits.slice(from + 1, to).filter((limit, index) => limit !== limits[from + index]).length;
  // A try is two changes: there and back.
  expect(changes(2000, 3000)).toBeLessThan(40);
});

it('never throws, and never leaves 1 to the highest limit, whatever it measures', () => {
  const number = fc.oneof(
    fc.constantFrom(0, -1, 1e-300, 1e300, Number.NaN, Number.POSITIVE_INFINITY),
    fc.double(),
  );
  const measurement = fc.record({
    units: number,
    ms: number,
    isFull: fc.boolean(),
    limit: fc.integer({ min: 1, max: 9 }),
    highest: fc.integer({ min: 1, max: 9 }),
  });
  fc.assert(
    fc.property(fc.array(measurement, { maxLength: 200 }), (measurements) => {
      let search = NO_SEARCH;
      for (const one of measurements) {
        const bound = search.bound ?? one.limit;
        // The lane never reports another limit than the bound allows.
        search = searchMeasured(search, { ...one, limit: Math.min(one.limit, bound) });
        if (search.bound !== null) expect(search.bound).toBeGreaterThanOrEqual(1);
        expect(search.bound ?? 1).toBeLessThanOrEqual(9);
        expect(Number.isInteger(search.bound ?? 1)).toBe(true);
      }
    }),
  );
});
