import fc from 'fast-check';
import { expect, it } from 'vitest';
import { steadyClock } from './steady-clock.ts';

function machine() {
  const at = { wall: 1_000_000, monotonic: 5 };
  const now = steadyClock({ wallMs: () => at.wall, monotonicMs: () => at.monotonic });
  const pass = (wallMs: number, monotonicMs: number) => {
    at.wall += wallMs;
    at.monotonic += monotonicMs;
  };
  return { now, pass };
}

const HOUR_MS = 3_600_000;

it.each<[string, number, number, number]>([
  ['time passes', 500, 500, 500],
  ['the time of day is set back', -HOUR_MS, 10, 10],
  ['the time of day is set forward', HOUR_MS, 10, HOUR_MS],
  ['the machine sleeps and its monotonic clock stands still', HOUR_MS, 0, HOUR_MS],
  ['the machine sleeps and its monotonic clock goes on', HOUR_MS, HOUR_MS, HOUR_MS],
  ['the time of day is corrected a little', 400, 500, 500],
])('measures when %s', (_what, wallMs, monotonicMs, passedMs) => {
  const { now, pass } = machine();
  const before = now();
  pass(wallMs, monotonicMs);
  expect(now() - before).toBe(passedMs);
  pass(20, 20);
  expect(now() - before).toBe(passedMs + 20);
});

it('never goes back and never loses time, whatever steps the time of day makes', () => {
  const steps = fc.array(
    fc.record({
      monotonicMs: fc.nat(10_000),
      stepMs: fc.oneof(fc.constant(0), fc.integer({ min: -HOUR_MS, max: HOUR_MS })),
    }),
  );
  fc.assert(
    fc.property(steps, (drawn) => {
      const { now, pass } = machine();
      for (const { monotonicMs, stepMs } of drawn) {
        const before = now();
        pass(monotonicMs + stepMs, monotonicMs);
        expect(now() - before).toBeGreaterThanOrEqual(monotonicMs);
      }
    }),
  );
});
