import { expect, it } from 'vitest';
import { estimateRest } from './rest-estimate.ts';

const tried = (...seconds: readonly number[]) => seconds.map((each) => ({ seconds: each, tokens: 100 }));

it('estimates the rest at the rate of the tried items', () => {
  // Five items of 2 s in 5 s together, so two ran at a time.
  expect(estimateRest(tried(2, 2, 2, 2, 2), 5, 1000)).toEqual({
    items: 1000,
    likelySeconds: 1000,
    lowSeconds: 800,
    highSeconds: 1250,
    tokens: 100_000,
  });
});

it('gives a wider range to unequal and to fewer items', () => {
  const width = (...seconds: readonly number[]) => {
    const { lowSeconds, highSeconds } = estimateRest(tried(...seconds), 10, 100) ?? {
      lowSeconds: 1,
      highSeconds: 0,
    };
    return highSeconds / lowSeconds;
  };
  expect(width(1, 2, 8)).toBeGreaterThan(width(3, 4, 5));
  expect(width(1, 2, 8)).toBeGreaterThan(width(1, 2, 8, 1, 2, 8, 1, 2, 8));
  expect(width(3)).toBe(4);
});

it('estimates nothing from nothing', () => {
  expect(estimateRest([], 5, 100)).toBeNull();
  expect(estimateRest(tried(0), 0, 100)).toBeNull();
});
