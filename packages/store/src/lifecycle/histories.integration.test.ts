import fc from 'fast-check';
import { expect, it } from 'vitest';
import { audit, freshStore, makeLeasesPass } from '../testing/index.ts';
import { callOf, draw, withPassedLease } from '../testing/lifecycle/draws.ts';
import { ITEMS, oneTask } from '../testing/lifecycle/one-task.ts';
import { comparable, newWorld, step } from '../testing/lifecycle/world.ts';

const history = fc.record({
  retryOn: fc.constantFrom('attempts' as const, 'errors' as const),
  draws: fc.array(draw, { minLength: 5, maxLength: 30, size: 'max' }),
});

it('T1-T14: random histories on Postgres match core’s decisions and keep the counts', async () => {
  await using db = await freshStore({ renewedLeaseSeconds: 600 });
  const task = await oneTask(db.store, db.sql);
  await fc.assert(
    fc.asyncProperty(history, async ({ retryOn, draws }) => {
      let world = newWorld(ITEMS, retryOn);
      await task.put(world);
      for (const drawn of draws) {
        if (drawn.late) {
          await makeLeasesPass(db.sql);
          world = withPassedLease(world);
        }
        const call = callOf(world, drawn);
        const decided = step(world, call);
        expect({ call, reply: await task.call(call) }).toEqual({ call, reply: decided.reply });
        world = decided.world;
      }
      const left = comparable(await task.read());
      expect(left).toEqual(comparable(world));
      expect(await audit(db.sql)).toEqual([]);
    }),
    { numRuns: 40 },
  );
});
