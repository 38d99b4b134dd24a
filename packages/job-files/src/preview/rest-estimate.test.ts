import { expect, it } from 'vitest';
import { estimateRest } from './rest-estimate.ts';

/** Tried items, from pairs of the second when one was leased and the second when it ended. */
const tried = (...times: readonly (readonly [number, number])[]) =>
  times.map(([leased, ended]) => ({ leasedMs: leased * 1000, endedMs: ended * 1000, tokens: 100 }));

it('estimates the rest at the rate of the tried items', () => {
  // Items of 2 s, and two ran at a time.
  expect(estimateRest(tried([0, 2], [0, 2], [2, 4], [2, 4], [4, 6]), 1000)).toEqual({
    items: 1000,
    likelySeconds: 1000,
    lowSeconds: 800,
    highSeconds: 1250,
    tokens: 100_000,
  });
});

it('leaves out the time in which the model is loaded, except from the upper end', () => {
  const estimate = estimateRest(tried([0, 10], [0, 10], [10, 11], [10, 11], [11, 12]), 1000);
  expect(estimate?.likelySeconds).toBe(500);
  expect(estimate?.highSeconds).toBeGreaterThanOrEqual(2400);
});

it('takes items that ended together for items that ran together', () => {
  expect(estimateRest(tried([0, 2], [0, 2], [0, 2], [0, 2]), 100)?.likelySeconds).toBe(50);
});

it('gives a wider range to unequal and to fewer items', () => {
  const width = (...durations: readonly number[]) => {
    let ended = 0;
    const times = durations.map((each): [number, number] => {
      ended += each;
      return [ended - each, ended];
    });
    const { lowSeconds, highSeconds } = estimateRest(tried(...times), 100) ?? {
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
  expect(estimateRest([], 100)).toBeNull();
  expect(estimateRest(tried([1, 1]), 100)).toBeNull();
});
