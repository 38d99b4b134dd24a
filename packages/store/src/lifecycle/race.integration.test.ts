import fc from 'fast-check';
import { expect, it } from 'vitest';
import { audit, freshStore } from '../testing/index.ts';
import { callOf, draw, lapsed, worldAfter } from '../testing/lifecycle/draws.ts';
import { oneTask } from '../testing/lifecycle/one-task.ts';
import { type Call, comparable, step, type World } from '../testing/lifecycle/world.ts';

const race = fc.record({
  retryOn: fc.constantFrom('attempts' as const, 'errors' as const),
  before: fc.array(draw, { maxLength: 12, size: 'max' }),
  overdue: fc.boolean(),
  draws: fc.array(draw, { minLength: 2, maxLength: 4, size: 'max' }),
});

interface Told {
  readonly call: Call;
  readonly reply: string;
}

/**
 * Whether some order of the calls, one after another, gives these replies and this end. A claim or a sweep
 * that met a row which another call had locked went on without it, which is what it is for.
 */
function explained(start: World, told: readonly Told[], end: string): boolean {
  if (told.length === 0) return JSON.stringify(comparable(start)) === end;
  return told.some(({ call, reply }, i) => {
    const rest = told.filter((_, j) => j !== i);
    const decided = step(start, call);
    if (decided.reply === reply && explained(decided.world, rest, end)) return true;
    const skipped = reply === 'nothing' && (call.type === 'lease' || call.type === 'expire');
    return skipped && explained(start, rest, end);
  });
}

it('T4, T7, R5: calls at once on one task end as if they had come in some order', async () => {
  await using db = await freshStore({ renewedLeaseSeconds: 600 });
  const task = await oneTask(db.store, db.sql);
  let changedByMore = 0;
  await fc.assert(
    fc.asyncProperty(race, async ({ retryOn, before, overdue, draws }) => {
      const reached = worldAfter(before, retryOn);
      const start = overdue ? lapsed(reached) : reached;
      await task.put(start);
      const calls = draws.map((drawn) => callOf(start, drawn));
      const told = await Promise.all(calls.map(async (call) => ({ call, reply: await task.call(call) })));
      const end = comparable(await task.read());
      if (told.filter(({ reply }) => /^(lease|accepted|now|1 tasks)/.test(reply)).length > 1)
        changedByMore += 1;
      if (!explained(start, told, JSON.stringify(end))) {
        expect.fail(`no order explains ${JSON.stringify({ start: comparable(start), told, end }, null, 1)}`);
      }
      expect(await audit(db.sql)).toEqual([]);
    }),
    { numRuns: 150 },
  );
  // The draws decide how many races there are; without any this would prove nothing.
  expect(changedByMore).toBeGreaterThan(2);
});
