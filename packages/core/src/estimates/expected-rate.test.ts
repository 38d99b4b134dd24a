import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { poolWorker } from '../testing/pool.ts';
import { expectedRate, medianRates, type Outlook } from './expected-rate.ts';

const NOOP_OFFER = { jobType: 'noop', model: 'noop' };
const reports = (itemsPerSecond: number) => ({ rates: [{ ...NOOP_OFFER, itemsPerSecond, loaded: false }] });
const noReport = { rates: [] };
const LONG = { sinceSeconds: 600 };

describe('expectedRate', () => {
  const cases: [string, Parameters<typeof poolWorker>[1], Parameters<typeof expectedRate>[2], number[]][] = [
    ['is the reported rate without a measurement', reports(4), { measured: undefined, median: 9 }, [4, 4, 4]],
    [
      'is half in the late outlook if the worker may sleep',
      { ...reports(4), mayLeave: true },
      { measured: undefined, median: null },
      [4, 4, 2],
    ],
    [
      'lies between the reported rate and a lower measured rate',
      reports(4),
      { measured: { ...LONG, itemsPerSecond: 2, trust: 0.8 }, median: null },
      [4, 3.2, 2.4],
    ],
    [
      'lies between the reported rate and a higher measured rate',
      reports(4),
      { measured: { ...LONG, itemsPerSecond: 6, trust: 0.5 }, median: null },
      [5, 4.5, 4],
    ],
    [
      'is the measured rate if the worker reports none',
      noReport,
      { measured: { ...LONG, itemsPerSecond: 2, trust: 0.1 }, median: 9 },
      [2, 2, 2],
    ],
    [
      'is the median rate while the measurement is younger than 30 seconds',
      noReport,
      { measured: { itemsPerSecond: 2, trust: 0.1, sinceSeconds: 29 }, median: 6 },
      [6, 6, 3],
    ],
    [
      'is the median rate for a worker without any rate',
      noReport,
      { measured: undefined, median: 6 },
      [6, 6, 3],
    ],
    [
      'is the median rate for a worker whose measured rate is zero',
      noReport,
      { measured: { ...LONG, itemsPerSecond: 0, trust: 0.5 }, median: 6 },
      [6, 6, 3],
    ],
    ['is zero if no worker has a rate', noReport, { measured: undefined, median: null }, [0, 0, 0]],
  ];
  it.each(cases)('%s', (_, worker, known, expected) => {
    const found = (['early', 'likely', 'late'] as const).map((outlook) =>
      expectedRate(poolWorker('ann', worker), NOOP_OFFER, known, outlook),
    );
    for (const [n, rate] of found.entries()) expect(rate).toBeCloseTo(expected[n] ?? Number.NaN, 9);
  });

  it('orders early, likely and late, and never drops a known rate to zero', () => {
    const someRate = fc.double({ min: 0.001, max: 1000, noNaN: true });
    const measured = fc.option(
      fc.record({
        itemsPerSecond: fc.oneof(fc.constant(0), someRate),
        trust: fc.double({ min: 0, max: 0.9, noNaN: true }),
        sinceSeconds: fc.integer({ min: 0, max: 1000 }),
      }),
      { nil: undefined },
    );
    fc.assert(
      fc.property(someRate, measured, fc.boolean(), (rate, measuredHere, mayLeave) => {
        const at = (outlook: Outlook) =>
          expectedRate(
            poolWorker('ann', { ...reports(rate), mayLeave }),
            NOOP_OFFER,
            { measured: measuredHere, median: null },
            outlook,
          );
        expect(at('early')).toBeGreaterThanOrEqual(at('likely'));
        expect(at('likely')).toBeGreaterThanOrEqual(at('late'));
        expect(at('late')).toBeGreaterThan(0);
      }),
    );
  });
});

it('medianRates takes the median of the reported rates of one work kind', () => {
  const other = { jobType: 'chat', model: 'qwen3' };
  const medianRate = medianRates([
    poolWorker('a', reports(1)),
    poolWorker('b', reports(100)),
    poolWorker('c', reports(3)),
    poolWorker('d', noReport),
    poolWorker('e', { rates: [{ ...other, itemsPerSecond: 7, loaded: false }] }),
  ]);
  expect([medianRate(NOOP_OFFER), medianRate(NOOP_OFFER), medianRate(other)]).toEqual([3, 3, 7]);
  expect(medianRate({ jobType: 'embed', model: 'noop' })).toBeNull();
});
