import { expect, it } from 'vitest';
import { answered, failing, SimulatedTime, simulate } from '../testing/simulated-pool.ts';

/** The number of items that start on a server with so many slots in each second. Each takes a second. */
function startsOn(slots: number, workerSlots: number): readonly number[] {
  const time = new SimulatedTime();
  const server = {
    slots,
    call: ({ itemId, end }: { itemId: string; end: (ended: ReturnType<typeof answered>) => void }) =>
      time.after(1000, () => end(answered(itemId))),
  };
  const { starts } = simulate(time, server, [20], { slots: workerSlots });
  return [0, 1, 2].map((second) => starts.filter(({ at }) => Math.round(at / 1000) === second).length);
}

it.each([
  ['as many items as its server has slots, and never more', 3, 8, [3, 3, 3]],
  ['no more items than the worker has slots', 12, 4, [4, 4, 4]],
  ['one item on a server with one slot', 1, 8, [1, 1, 1]],
])('starts with %s', (_what, slots, workerSlots, starts) => {
  expect(startsOn(slots, workerSlots)).toEqual(starts);
});

it('asks for the slots once, and again when the server was away', () => {
  const time = new SimulatedTime();
  let asked = 0;
  const server = {
    get slots() {
      asked += 1;
      return 2;
    },
    listsModels: () => time.now > 60_000,
    call: ({ itemId, end }: { itemId: string; end: (ended: ReturnType<typeof answered>) => void }) => {
      const isAway = time.now > 3000 && time.now < 60_000;
      time.after(500, () => end(isAway ? failing('wait', 'server_unreachable') : answered(itemId)));
    },
  };
  expect(simulate(time, server, [5, 5, 5, 5, 5], { slots: 4 }).outcomes.size).toBe(25);
  expect(asked).toBe(2);
});
