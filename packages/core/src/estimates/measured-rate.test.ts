import fc from 'fast-check';
import { expect, it } from 'vitest';
import { measuredRate, RATE_WINDOW_SECONDS } from './measured-rate.ts';

it('measures the rate of a steady worker correctly from its first seconds on', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1000 }),
      fc.double({ min: 0.01, max: 100, noNaN: true }),
      (seconds, rate) => {
        // Adds items up as the store does, with one report a second.
        let decayedItems = 0;
        for (let second = 0; second < seconds; second += 1)
          decayedItems = decayedItems * Math.exp(-1 / RATE_WINDOW_SECONDS) + rate;
        const measured = measuredRate({ decayedItems, sinceSeconds: seconds });
        expect(measured.itemsPerSecond / rate).toBeCloseTo(1, 2);
      },
    ),
  );
});

it('trusts a longer measurement more, up to 0.9', () => {
  const trust = (sinceSeconds: number) => measuredRate({ decayedItems: 1, sinceSeconds }).trust;
  expect(trust(0)).toBe(0);
  expect(trust(60)).toBeGreaterThan(trust(30));
  expect(trust(1e9)).toBe(0.9);
});

it('measures nothing for a worker that has just begun', () => {
  expect(measuredRate({ decayedItems: 5, sinceSeconds: 0 })).toEqual({
    itemsPerSecond: 0,
    trust: 0,
    sinceSeconds: 0,
  });
});
