import { expect, it } from 'vitest';
import { errorOf } from './estimates.ts';

it('an estimate is held against what was really left when it was made', () => {
  const estimates = [
    { at: 0, low: 50, likely: 80, high: 99 }, // 100 were left: off by 20 %, and not in the range
    { at: 50, low: 90, likely: 100, high: 120 },
    { at: 90, low: 95, likely: 104, high: 110 }, // 10 were left: off by 40 %
    { at: 100, low: 100, likely: 100, high: 100 }, // after the end
  ];
  expect(errorOf(estimates, 100)).toEqual({ estimates: 3, medianPercent: 20, inRange: 2 });
  expect(errorOf([], 100)).toBe(null);
});
