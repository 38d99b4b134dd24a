import { expect, it } from 'vitest';
import {
  limitAnswered,
  limitIdle,
  limitRefused,
  limitStarted,
  NO_LIMIT,
  type RateLimit,
} from './rate-limit.ts';

const HOUR_MS = 3_600_000;
const MAX_MS = 60_000;

/** Runs items of `tookMs` one after the other, from `at` on. */
function withAnswers(before: RateLimit, count: number, at: number, tookMs: number): RateLimit {
  return Array.from({ length: count }, (_, n) => at + n * tookMs).reduce(
    (limit, startedAt) =>
      limitIdle(limitAnswered(limitStarted(limit, startedAt), startedAt), startedAt + tookMs),
    before,
  );
}

it('measures the interval between the answers of two refusals', () => {
  const refused = limitRefused(withAnswers(NO_LIMIT, 6, 0, 1000), 60_000, 6000, MAX_MS);
  expect(refused.intervalMs).toBe((60_000 / 6) * 1.02);
});

it('does not count the time in which an endpoint had nothing to do', () => {
  const before = withAnswers(NO_LIMIT, 50, 0, 1000);
  const after = withAnswers(before, 50, 8 * HOUR_MS, 1000);
  const refused = limitRefused(after, 8 * HOUR_MS + 60_000, 8 * HOUR_MS + 50_000, MAX_MS);
  expect(refused.intervalMs).toBeLessThan(1200);
});

it('measures no interval longer than the given one, however slow the items are', () => {
  const started = limitStarted(NO_LIMIT, 0);
  expect(limitRefused(started, HOUR_MS, HOUR_MS - 1000, MAX_MS).intervalMs).toBe(MAX_MS);
  const refusedTwice = limitRefused(limitRefused(started, 1000, 0, MAX_MS), HOUR_MS, HOUR_MS - 1, MAX_MS);
  expect(refusedTwice.intervalMs).toBe(MAX_MS);
});

it('forgets within a few answers the interval of a server that refused everything for a while', () => {
  let limit = limitStarted(NO_LIMIT, 0);
  for (const at of [1000, 5000, 20_000]) limit = limitRefused(limit, at, at - 500, MAX_MS);
  expect(limit.intervalMs).toBeGreaterThan(10_000);
  const startedAt = limit.nextAt;
  limit = limitAnswered(limitStarted(limit, startedAt), startedAt);
  expect(limit.nextAt - startedAt).toBeLessThan(10_000);
  for (let answers = 1; answers < 10; answers += 1) {
    const next = limit.nextAt;
    limit = limitAnswered(limitStarted(limit, next), next);
  }
  expect([limit.intervalMs ?? 0, limit.nextAt - startedAt].every((ms) => ms < 20_000)).toBe(true);
  expect(limit.intervalMs ?? 0).toBeLessThan(100);
});

it('keeps the interval of a server that answers one item between two refusals', () => {
  const refused = (limit: RateLimit, at: number) => limitRefused(limit, at + 20_000, at, MAX_MS);
  let limit = refused(limitStarted(NO_LIMIT, 0), 0);
  for (let n = 0; n < 3; n += 1) {
    const { nextAt } = limit;
    limit = limitAnswered(limitStarted(limit, nextAt), nextAt);
    limit = refused(limitStarted(limit, limit.nextAt), limit.nextAt);
  }
  expect(limit.intervalMs).toBeGreaterThanOrEqual(20_000);
});
