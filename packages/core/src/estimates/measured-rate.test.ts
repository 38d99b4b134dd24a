import fc from 'fast-check';
import { expect, it } from 'vitest';
import { measuredRate, RATE_WINDOW_SECONDS } from './measured-rate.ts';

it('the pace of a steady worker is measured right from its first seconds on, whatever its fading', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1000 }),
      fc.double({ min: 0.01, max: 100, noNaN: true }),
      (n, pace) => {
        // As the store adds them up: a report a second.
        let fadedItems = 0;
        for (let second = 0; second < n; second += 1)
          fadedItems = fadedItems * Math.exp(-1 / RATE_WINDOW_SECONDS) + pace;
        const measured = measuredRate({ fadedItems, sinceSeconds: n });
        expect(measured.itemsPerSecond / pace).toBeCloseTo(1, 2);
      },
    ),
  );
});

it('is believed the more the longer it was measured, and never quite', () => {
  const trust = (sinceSeconds: number) => measuredRate({ fadedItems: 1, sinceSeconds }).trust;
  expect(trust(0)).toBe(0);
  expect(trust(60)).toBeGreaterThan(trust(30));
  expect(trust(1e9)).toBe(0.9);
});

it('nothing is measured of who has just begun', () => {
  expect(measuredRate({ fadedItems: 5, sinceSeconds: 0 })).toEqual({
    itemsPerSecond: 0,
    trust: 0,
    sinceSeconds: 0,
  });
});
