import { expect, it } from 'vitest';
import { secondsPerHour, workload } from './plan.ts';

it.each([
  [{ compress: '48h=3m' }, 3.75],
  [{ compress: '24h=0.5h' }, 75],
  [{ compress: '48h=3m', hours: '48' }, 3600],
  [{ compress: '48h=3m', hours: '1' }, 75],
])('secondsPerHour: %j takes %d s per hour', (options, seconds) => {
  expect(secondsPerHour(options)).toBeCloseTo(seconds);
});

it.each([
  [{ compress: '48h' }, '--compress must look like 48h=3m'],
  [{ compress: '48h=3m=1s' }, '--compress must look like 48h=3m'],
  [{ compress: '48h=3x' }, '"3x" is not a time span'],
  [{ compress: '48h=3m', hours: '0' }, '--hours must be a number of hours'],
])('secondsPerHour: refuses %j', (options, message) => {
  expect(() => secondsPerHour(options)).toThrow(message);
});

it('workload: keeps the slots busy for three quarters of the protocol', () => {
  const { items, itemMs } = workload(100, 8, 400);
  expect((items * itemMs) / 8).toBeCloseTo(75_000);
  expect(workload(48 * 3600, 8, 20).itemMs).toBe(600_000);
});
