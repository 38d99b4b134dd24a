import { expect, it } from 'vitest';
import { HostSleep } from './host-sleep.ts';

it.each([
  ['both clocks go on', 60_000, 60_000, false],
  ['the awake clock has stood still for a while', 60_000, 1000, true],
  ['it stood still for less than counts', 60_000, 31_000, false],
  ['the database clock was set back', -3_600_000, 60_000, false],
  ['the database clock was set forward, which looks the same', 3_600_000, 60_000, true],
])('%s', (_, databaseMs, awakeMs, slept) => {
  const sleep = new HostSleep(30_000);
  expect(sleep.look(1_000_000, 5000)).toBe(false);
  expect(sleep.look(1_000_000 + databaseMs, 5000 + awakeMs)).toBe(slept);
  expect(sleep.look(1_000_000 + databaseMs + 10, 5000 + awakeMs + 10)).toBe(false);
});
