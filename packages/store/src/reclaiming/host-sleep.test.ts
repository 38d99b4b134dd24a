import { expect, it } from 'vitest';
import { HostSleep } from './host-sleep.ts';

it.each([
  ['false when both clocks go on', 60_000, 60_000, false],
  ['true when the awake clock stood still for longer than the gap', 60_000, 1000, true],
  ['false when it stood still for less than the gap', 60_000, 31_000, false],
  ['false when the database’s clock was set back', -3_600_000, 60_000, false],
  ['true when the database’s clock was set forward, which looks the same', 3_600_000, 60_000, true],
])('%s', (_, databaseMs, awakeMs, slept) => {
  const sleep = new HostSleep(30_000);
  expect(sleep.hasSlept(1_000_000, 5000)).toBe(false);
  expect(sleep.hasSlept(1_000_000 + databaseMs, 5000 + awakeMs)).toBe(slept);
  expect(sleep.hasSlept(1_000_000 + databaseMs + 10, 5000 + awakeMs + 10)).toBe(false);
});
