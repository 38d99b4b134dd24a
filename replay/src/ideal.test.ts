import { expect, it } from 'vitest';
import { awakeSeconds } from './awake-time.ts';
import { ideal } from './ideal.ts';
import type { MacTrace } from './trace.ts';

const mac = (speed: number, trace: Partial<MacTrace> = {}): MacTrace => ({
  speed,
  slots: 1,
  asleep: [],
  offline: [],
  diesAt: null,
  ...trace,
});
const job = (work: number, at = 0) => ({ at, costs: Float64Array.of(work / 2, work / 2) });

it.each([
  ['adds the speeds of all Macs', [mac(1), mac(3)], [job(40)], 10],
  ['excludes a sleeping Mac', [mac(1), mac(3, { asleep: [[5, 100]] })], [job(40)], 25],
  ['excludes a Mac that sleeps at the start', [mac(4, { asleep: [[0, 7]] })], [job(40)], 17],
  ['excludes a dead Mac', [mac(1), mac(3, { diesAt: 5 })], [job(40)], 25],
  ['excludes a Mac that dies asleep', [mac(1), mac(3, { asleep: [[5, 8]], diesAt: 7 })], [job(40)], 25],
  ['starts a job when it is submitted', [mac(4)], [job(40), job(4, 50)], 51],
  ['adds jobs that overlap', [mac(4)], [job(40), job(40, 5)], 20],
  ['ignores network outages', [mac(4, { offline: [[0, 100]] })], [job(40)], 10],
  ['is infinite when all Macs are dead', [mac(4, { diesAt: 5 })], [job(40)], Number.POSITIVE_INFINITY],
] as const)('ideal: %s', (_, macs, jobs, seconds) => {
  expect(ideal(macs, jobs)).toBeCloseTo(seconds);
});

it('awakeSeconds: excludes sleep and the time after death', () => {
  expect(awakeSeconds(mac(1), 100)).toBe(100);
  const asleep = [
    [0, 10],
    [50, 60],
    [90, 200],
  ] as const;
  expect(awakeSeconds(mac(1, { asleep }), 100)).toBe(70);
  expect(awakeSeconds(mac(1, { asleep, diesAt: 55 }), 100)).toBe(40);
});
