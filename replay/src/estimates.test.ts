import { expect, it } from 'vitest';
import { estimateError } from './estimates.ts';

it('estimateError: compares estimated and real remaining times', () => {
  const estimates = [
    { at: 0, low: 50, likely: 80, high: 99 }, // 100 s were left: off by 20 %, and not in the range
    { at: 50, low: 90, likely: 100, high: 120 },
    { at: 90, low: 95, likely: 104, high: 110 }, // 10 s were left: off by 40 %
    { at: 100, low: 100, likely: 100, high: 100 }, // after the end
  ];
  expect(estimateError(estimates, 100)).toEqual({ estimates: 3, medianPercent: 20, inRange: 2 });
  expect(estimateError([], 100)).toBe(null);
});
