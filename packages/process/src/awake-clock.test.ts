import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { awakeClock } from './awake-clock.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('counts the time while the host is awake and none while it sleeps', () => {
  let hostMs = 5000;
  using clock = awakeClock(() => hostMs);
  const awake = (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1000) {
      hostMs += 1000;
      vi.advanceTimersByTime(1000);
    }
  };
  awake(60_000);
  expect(clock.now()).toBe(60_000);
  hostMs += 8 * 3_600_000; // asleep: no timer runs
  expect(clock.now()).toBeLessThanOrEqual(62_000);
  awake(10_000);
  expect(clock.now()).toBeLessThanOrEqual(72_000);
  hostMs += 500;
  expect(clock.now() % 1000).toBe(500);
});
