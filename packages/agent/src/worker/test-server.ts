import { type Change, emit, inOrder, nothing, set } from './change.ts';
import { laneOf, withLane } from './endpoint-control.ts';
import { requestsOn, withControl, withRuntime } from './endpoint-runs.ts';
import type { EventOf } from './event.ts';
import { fillSlots } from './fill-slots.ts';
import { hasFreshItem } from './fresh-items.ts';
import { isStartable } from './held-task.ts';
import type { ItemRecord } from './item-record.ts';
import type { Run } from './worker-state.ts';

/** After this many failures, a test shows whether the item or the server is to blame. */
const TEST_AFTER_TRIES = 2;

/**
 * Tests a server with one token when an item has failed alone and no other item can show whether the server works. Only
 * a server that has answered before is tested: one that has answered nobody is waited for.
 */
export function testIfUnclear(run: Run, record: ItemRecord): Change {
  return (state) => {
    const { runtime, offer } = run;
    const found = runtime === null ? undefined : state.runtimes[runtime];
    if (runtime === null || found === undefined || offer.job_type !== 'chat') return nothing(state);
    const { control, testing } = found;
    const lane = laneOf(control, offer.model);
    const isUnclear =
      run.aloneOnRuntime &&
      record.tries >= TEST_AFTER_TRIES &&
      lane.lastAnswered <= record.startedAtFailure &&
      lane.answered > 0;
    const isFree = !testing && requestsOn(state, runtime).every(({ number }) => number === run.number);
    if (!control.remote || !isUnclear || !isFree) return nothing(state);
    if ([control.gate, lane.gate].some((gate) => gate !== null)) return nothing(state);
    if (state.tasks.some((task) => isStartable(task) && hasFreshItem(state, task))) return nothing(state);
    return inOrder(
      withRuntime(runtime, (before) => ({ ...before, testing: true })),
      set((before) => ({ ...before, nextNumber: before.nextNumber + 1 })),
      emit({ kind: 'test_server', runtime, model: offer.model, test: state.nextNumber }),
    )(state);
  };
}

/** Counts the answer to a test like that to an item. */
export function serverTested({ runtime, model, test, works, now }: EventOf<'server_tested'>): Change {
  return inOrder(
    withRuntime(runtime, (before) => ({ ...before, testing: false })),
    works
      ? withControl(runtime, (control) => {
          const lane = laneOf(control, model);
          return withLane(control, {
            ...lane,
            lastAnswered: Math.max(lane.lastAnswered, test),
            failedItems: [],
          });
        })
      : nothing,
    works ? runAgainSoon(runtime, now) : nothing,
    fillSlots(now),
  );
}

/** Shortens the pauses of the items that failed: they gave the server time, and it works. */
function runAgainSoon(runtime: number, now: number): Change {
  return (state) => {
    const soon = now + state.settings.pauses.retryMs;
    return withRuntime(runtime, (before) => ({
      ...before,
      records: before.records.map((record) => ({ ...record, notBefore: Math.min(record.notBefore, soon) })),
    }))(state);
  };
}
