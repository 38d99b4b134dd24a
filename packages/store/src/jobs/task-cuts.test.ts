import { MAX_TASK_BYTES } from '@macbatch/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TaskCuts } from './task-cuts.ts';

function cutsOf(shardSize: number, bytes: readonly number[]): TaskCuts {
  const cuts = new TaskCuts(shardSize);
  for (const each of bytes) cuts.add(each);
  return cuts;
}

/** Bytes of the items of each task: runs between the cuts, cut by the shard size. */
function tasksOf(shardSize: number, bytes: readonly number[], { starts }: TaskCuts): number[][] {
  return starts.flatMap((start, n) => {
    const run = bytes.slice(start, starts[n + 1]);
    const count = Math.ceil(run.length / shardSize);
    return Array.from({ length: count }, (_, shard) => run.slice(shard * shardSize, (shard + 1) * shardSize));
  });
}

const sum = (bytes: readonly number[]) => bytes.reduce((total, each) => total + each, 0);

describe('TaskCuts', () => {
  it('cuts small items by the shard size alone', () => {
    expect(
      cutsOf(
        10,
        Array.from({ length: 1000 }, () => 100),
      ),
    ).toMatchObject({
      starts: [0],
      smallerTasks: 0,
      largestTaskBytes: 1000,
    });
  });

  it('cuts before the item that would make a task too large', () => {
    const third = MAX_TASK_BYTES / 3;
    const cuts = cutsOf(40, [third, third, third, 1, third, third, third]);
    expect(cuts).toMatchObject({ starts: [0, 3, 6], smallerTasks: 2 });
    expect(cuts.largestTaskBytes).toBeCloseTo(MAX_TASK_BYTES, 3);
  });

  it('puts an item that is larger than the limit into a task with no other item', () => {
    expect(cutsOf(10, [1, MAX_TASK_BYTES + 1, 1])).toMatchObject({
      starts: [0, 1, 2],
      largestTaskBytes: MAX_TASK_BYTES + 1,
    });
  });

  it('bounds every task in items and bytes, and cuts no sooner than needed', () => {
    const size = fc.oneof(fc.nat(1000), fc.nat(MAX_TASK_BYTES), fc.constant(MAX_TASK_BYTES));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(size, { minLength: 1 }), (shardSize, bytes) => {
        const cuts = cutsOf(shardSize, bytes);
        const tasks = tasksOf(shardSize, bytes, cuts);
        expect(tasks.flat()).toEqual(bytes);
        for (const [n, task] of tasks.entries()) {
          expect(task.length === 1 || sum(task) <= MAX_TASK_BYTES).toBe(true);
          const next = tasks[n + 1]?.[0];
          if (next !== undefined && task.length < shardSize)
            expect(sum(task) + next).toBeGreaterThan(MAX_TASK_BYTES);
        }
        expect(cuts.largestTaskBytes).toBe(Math.max(...tasks.map(sum)));
      }),
    );
  });
});
