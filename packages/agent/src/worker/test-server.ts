import { type Change, inOrder, nothing } from './change.ts';
import { laneOf, withLane } from './endpoint-control.ts';
import { withControl, withRuntime } from './endpoint-runs.ts';
import { logOpened } from './endpoint-trouble.ts';
import type { EventOf } from './event.ts';
import { fillSlots } from './fill-slots.ts';
import { laneTested } from './lane.ts';

/** Counts the answer to a test like that to an item. */
export function serverTested({ runtime, model, test, works, now }: EventOf<'server_tested'>): Change {
  return (state) =>
    inOrder(
      withRuntime(runtime, (before) => ({ ...before, testing: false })),
      withControl(runtime, (control) => withLane(control, laneTested(laneOf(control, model), test, works))),
      works ? runAgainSoon(runtime, now) : nothing,
      logOpened(state, { runtime, offer: { job_type: 'chat', model } }),
      fillSlots(now),
    )(state);
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
