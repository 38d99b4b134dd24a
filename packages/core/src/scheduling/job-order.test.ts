import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderJobs, STARVING_AFTER_SECONDS, type WaitingJob } from './job-order.ts';

const NOW = 10_000_000;
const job = (id: string, over: Partial<WaitingJob> = {}): WaitingJob => ({
  id,
  priority: 0,
  itemsLeft: 100,
  lastServedAt: NOW,
  ...over,
});
const ids = (jobs: readonly WaitingJob[]) => jobs.map(({ id }) => id).join(' ');
const STARVING_SINCE = NOW - STARVING_AFTER_SECONDS * 1000;

describe('orderJobs', () => {
  it.each<[string, WaitingJob[], string]>([
    ['puts the higher priority first', [job('a'), job('b', { priority: 1 })], 'b a'],
    ['then the job with the fewest items left', [job('a'), job('b', { itemsLeft: 5 })], 'b a'],
    ['then the oldest job', [job('b'), job('a')], 'a b'],
    ['puts priority before size', [job('a', { itemsLeft: 1 }), job('b', { priority: 1 })], 'b a'],
    [
      'puts a starving job before all others',
      [job('a', { priority: 9, itemsLeft: 1 }), job('b', { lastServedAt: STARVING_SINCE })],
      'b a',
    ],
    [
      'does not treat a job as starving one millisecond too early',
      [job('a'), job('b', { lastServedAt: STARVING_SINCE + 1 })],
      'a b',
    ],
    [
      'puts the job that starves longest first',
      [job('a', { lastServedAt: STARVING_SINCE }), job('b', { lastServedAt: 0 })],
      'b a',
    ],
  ])('%s', (_, jobs, expected) => {
    expect(ids(orderJobs(jobs, 'shortest', NOW))).toBe(expected);
  });

  it('orders by age alone with fifo', () => {
    const jobs = [job('b', { priority: 9, itemsLeft: 1, lastServedAt: 0 }), job('a')];
    expect(ids(orderJobs(jobs, 'fifo', NOW))).toBe('a b');
  });

  it('returns the same order for any input order, and loses no job', () => {
    const jobs = fc.uniqueArray(
      fc.record({
        id: fc.string({ minLength: 1, maxLength: 3 }),
        priority: fc.integer({ min: -2, max: 2 }),
        itemsLeft: fc.integer({ min: 0, max: 3 }),
        lastServedAt: fc.constantFrom(0, 1, STARVING_SINCE, STARVING_SINCE + 1, NOW),
      }),
      { selector: ({ id }) => id },
    );
    fc.assert(
      fc.property(jobs, fc.constantFrom('shortest' as const, 'fifo' as const), (waiting, order) => {
        const sorted = orderJobs(waiting, order, NOW);
        expect(new Set(sorted)).toEqual(new Set(waiting));
        expect(ids(orderJobs(waiting.toReversed(), order, NOW))).toBe(ids(sorted));
        expect(ids(orderJobs(sorted, order, NOW))).toBe(ids(sorted));
      }),
    );
  });
});
