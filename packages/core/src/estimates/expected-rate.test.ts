import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { poolWorker } from '../testing/pool.ts';
import { expectedRate, medianRates, type Outlook } from './expected-rate.ts';

const NOOP = { jobType: 'noop', model: 'noop' };
const tells = (itemsPerSecond: number) => ({ paces: [{ ...NOOP, itemsPerSecond, loaded: false }] });
const untold = { paces: [] };
const LONG = { sinceSeconds: 600 };

describe('the pace that is expected of a worker', () => {
  const cases: [string, Parameters<typeof poolWorker>[1], Parameters<typeof expectedRate>[2], number[]][] = [
    ['is what it tells', tells(4), { measured: undefined, usual: 9 }, [4, 4, 4]],
    [
      'is less where it may sleep',
      { ...tells(4), mayLeave: true },
      { measured: undefined, usual: null },
      [4, 4, 2],
    ],
    [
      'lies between what it tells and a slower one that was measured',
      tells(4),
      { measured: { ...LONG, itemsPerSecond: 2, trust: 0.8 }, usual: null },
      [4, 3.2, 2.4],
    ],
    [
      'and a faster one',
      tells(4),
      { measured: { ...LONG, itemsPerSecond: 6, trust: 0.5 }, usual: null },
      [5, 4.5, 4],
    ],
    [
      'is what was measured where it tells nothing',
      untold,
      { measured: { ...LONG, itemsPerSecond: 2, trust: 0.1 }, usual: 9 },
      [2, 2, 2],
    ],
    [
      'is the usual one while the first items are on their way',
      untold,
      { measured: { itemsPerSecond: 2, trust: 0.1, sinceSeconds: 29 }, usual: 6 },
      [6, 6, 3],
    ],
    ['is the usual one where nothing is known of it', untold, { measured: undefined, usual: 6 }, [6, 6, 3]],
    [
      'and that, too, before its first item',
      untold,
      { measured: { ...LONG, itemsPerSecond: 0, trust: 0.5 }, usual: 6 },
      [6, 6, 3],
    ],
    ['is none where nothing is known of anybody', untold, { measured: undefined, usual: null }, [0, 0, 0]],
  ];
  it.each(cases)('%s', (_, worker, known, expected) => {
    const found = (['early', 'likely', 'late'] as const).map((outlook) =>
      expectedRate(poolWorker('ann', worker), NOOP, known, outlook),
    );
    for (const [n, pace] of found.entries()) expect(pace).toBeCloseTo(expected[n] ?? Number.NaN, 9);
  });

  it('early is never slower than likely, nor likely than late, and a pace that is known is never lost', () => {
    const pace = fc.double({ min: 0.001, max: 1000, noNaN: true });
    const measured = fc.option(
      fc.record({
        itemsPerSecond: fc.oneof(fc.constant(0), pace),
        trust: fc.double({ min: 0, max: 0.9, noNaN: true }),
        sinceSeconds: fc.integer({ min: 0, max: 1000 }),
      }),
      { nil: undefined },
    );
    fc.assert(
      fc.property(pace, measured, fc.boolean(), (told, seen, mayLeave) => {
        const at = (outlook: Outlook) =>
          expectedRate(
            poolWorker('ann', { ...tells(told), mayLeave }),
            NOOP,
            { measured: seen, usual: null },
            outlook,
          );
        expect(at('early')).toBeGreaterThanOrEqual(at('likely'));
        expect(at('likely')).toBeGreaterThanOrEqual(at('late'));
        expect(at('late')).toBeGreaterThan(0);
      }),
    );
  });
});

it('the usual pace is the middle one of those that tell one, at that kind of work alone', () => {
  const other = { jobType: 'chat', model: 'qwen3' };
  const usual = medianRates([
    poolWorker('a', tells(1)),
    poolWorker('b', tells(100)),
    poolWorker('c', tells(3)),
    poolWorker('d', untold),
    poolWorker('e', { paces: [{ ...other, itemsPerSecond: 7, loaded: false }] }),
  ]);
  expect([usual(NOOP), usual(NOOP), usual(other)]).toEqual([3, 3, 7]);
  expect(usual({ jobType: 'embed', model: 'noop' })).toBeNull();
});
