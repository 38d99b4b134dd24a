import { expect, it } from 'vitest';
import { HostSleep } from './host-sleep.ts';

it.each([
  ['detects no sleep when both clocks advance equally', 60_000, 60_000, false],
  ['detects sleep when the awake clock stops for longer than the gap', 60_000, 1000, true],
  ['detects no sleep when the awake clock stops for less than the gap', 60_000, 31_000, false],
  ['detects no sleep when the database’s clock is set back', -3_600_000, 60_000, false],
  [
    'detects sleep when the database’s clock is set forward: the two cannot be distinguished',
    3_600_000,
    60_000,
    true,
  ],
])('%s', (_, databaseMs, awakeMs, slept) => {
  const sleep = new HostSleep(30_000);
  expect(sleep.hasSlept(1_000_000, 5000)).toBe(false);
  expect(sleep.hasSlept(1_000_000 + databaseMs, 5000 + awakeMs)).toBe(slept);
  expect(sleep.hasSlept(1_000_000 + databaseMs + 10, 5000 + awakeMs + 10)).toBe(false);
});
