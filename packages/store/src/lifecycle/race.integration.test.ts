import fc from 'fast-check';
import { expect, it } from 'vitest';
import { audit, freshStore } from '../testing/index.ts';
import { callOf, draw, withPassedLease, worldAfter } from '../testing/lifecycle/draws.ts';
import { oneTask } from '../testing/lifecycle/one-task.ts';
import { type Call, comparable, step, type World } from '../testing/lifecycle/world.ts';

const race = fc.record({
  retryOn: fc.constantFrom('attempts' as const, 'errors' as const),
  before: fc.array(draw, { maxLength: 12, size: 'max' }),
  overdue: fc.boolean(),
  draws: fc.array(draw, { minLength: 2, maxLength: 4, size: 'max' }),
});

interface AnsweredCall {
  readonly call: Call;
  readonly reply: string;
}

/**
 * Whether some serial order of the calls gives these replies and this final world. A claim or a reclaim skips a task
 * that another call has locked, so it may also have found nothing.
 */
function hasSerialOrder(start: World, answered: readonly AnsweredCall[], end: string): boolean {
  if (answered.length === 0) return JSON.stringify(comparable(start)) === end;
  return answered.some(({ call, reply }, i) => {
    const rest = answered.filter((_, j) => j !== i);
    const decided = step(start, call);
    if (decided.reply === reply && hasSerialOrder(decided.world, rest, end)) return true;
    const skipped = reply === 'nothing' && (call.type === 'lease' || call.type === 'expire');
    return skipped && hasSerialOrder(start, rest, end);
  });
}

it('T4, T7, T10, T14, R5: concurrent calls on one task give the result of some serial order', async () => {
  await using db = await freshStore({ renewedLeaseSeconds: 600 });
  const task = await oneTask(db.store, db.sql);
  let contested = 0;
  await fc.assert(
    fc.asyncProperty(race, async ({ retryOn, before, overdue, draws }) => {
      const reached = worldAfter(before, retryOn);
      const start = overdue ? withPassedLease(reached) : reached;
      await task.put(start);
      const calls = draws.map((drawn) => callOf(start, drawn));
      const answered = await Promise.all(calls.map(async (call) => ({ call, reply: await task.call(call) })));
      const end = comparable(await task.read());
      if (answered.filter(({ reply }) => /^(lease|accepted|now|1 tasks)/.test(reply)).length > 1)
        contested += 1;
      if (!hasSerialOrder(start, answered, JSON.stringify(end))) {
        expect.fail(
          `No serial order gives ${JSON.stringify({ start: comparable(start), answered, end }, null, 1)}`,
        );
      }
      expect(await audit(db.sql)).toEqual([]);
    }),
    { numRuns: 90 },
  );
  // The test proves something only when several calls of a draw changed the task.
  expect(contested).toBeGreaterThan(2);
});
