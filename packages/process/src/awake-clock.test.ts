import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { awakeClock } from './awake-clock.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('counts while the host is awake, and stands still while it sleeps', () => {
  let machine = 5000;
  using clock = awakeClock(() => machine);
  const awake = (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1000) {
      machine += 1000;
      vi.advanceTimersByTime(1000);
    }
  };
  awake(60_000);
  expect(clock.now()).toBe(60_000);
  machine += 8 * 3_600_000; // asleep: no timer runs
  expect(clock.now()).toBeLessThanOrEqual(62_000);
  awake(10_000);
  expect(clock.now()).toBeLessThanOrEqual(72_000);
  machine += 500;
  expect(clock.now() % 1000).toBe(500);
});
