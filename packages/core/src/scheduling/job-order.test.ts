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
const STARVED = NOW - STARVING_AFTER_SECONDS * 1000;

describe('the order between jobs', () => {
  it.each<[string, WaitingJob[], string]>([
    ['the higher priority first', [job('a'), job('b', { priority: 1 })], 'b a'],
    ['then the fewest items left', [job('a'), job('b', { itemsLeft: 5 })], 'b a'],
    ['then the oldest', [job('b'), job('a')], 'a b'],
    ['priority before size', [job('a', { itemsLeft: 1 }), job('b', { priority: 1 })], 'b a'],
    [
      'starved before all',
      [job('a', { priority: 9, itemsLeft: 1 }), job('b', { lastServedAt: STARVED })],
      'b a',
    ],
    ['not starved a moment before', [job('a'), job('b', { lastServedAt: STARVED + 1 })], 'a b'],
    [
      'the longest starved first',
      [job('a', { lastServedAt: STARVED }), job('b', { lastServedAt: 0 })],
      'b a',
    ],
  ])('%s', (_, jobs, expected) => {
    expect(ids(orderJobs(jobs, 'shortest', NOW))).toBe(expected);
  });

  it('fifo knows nothing but age', () => {
    const jobs = [job('b', { priority: 9, itemsLeft: 1, lastServedAt: 0 }), job('a')];
    expect(ids(orderJobs(jobs, 'fifo', NOW))).toBe('a b');
  });

  it('is the same however the jobs came, and loses none', () => {
    const jobs = fc.uniqueArray(
      fc.record({
        id: fc.string({ minLength: 1, maxLength: 3 }),
        priority: fc.integer({ min: -2, max: 2 }),
        itemsLeft: fc.integer({ min: 0, max: 3 }),
        lastServedAt: fc.constantFrom(0, 1, STARVED, STARVED + 1, NOW),
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
