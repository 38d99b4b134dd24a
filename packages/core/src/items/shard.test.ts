import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DEFAULT_SHARD_SIZE, MAX_SHARD_SIZE, taskCount } from './shard.ts';

it.each([
  [1, 1, 1],
  [1, 10, 1],
  [9, 10, 1],
  [10, 10, 1],
  [11, 10, 2],
  [1_000_000, 10, 100_000],
  [1_000_000, 10_000, 100],
  [7, 1, 7],
])('A1: %i items in shards of %i make %i tasks', (items, shardSize, tasks) => {
  expect(taskCount(items, shardSize)).toBe(tasks);
});

it('A1: makes enough tasks for all items, and no empty task', () => {
  const sizes = fc.integer({ min: 1, max: MAX_SHARD_SIZE });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000_000 }), sizes, (items, shardSize) => {
      const tasks = taskCount(items, shardSize);
      expect(tasks * shardSize).toBeGreaterThanOrEqual(items);
      expect((tasks - 1) * shardSize).toBeLessThan(items);
    }),
  );
});

it('A1: the default shard size is within the limits', () => {
  expect(DEFAULT_SHARD_SIZE).toBeGreaterThanOrEqual(1);
  expect(DEFAULT_SHARD_SIZE).toBeLessThanOrEqual(MAX_SHARD_SIZE);
});
