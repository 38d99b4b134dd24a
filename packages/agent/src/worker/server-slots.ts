import { type Change, inOrder } from './change.ts';
import { laneOf, withLane } from './endpoint-control.ts';
import { withControl } from './endpoint-runs.ts';
import type { EventOf } from './event.ts';
import { fillSlots } from './fill-slots.ts';
import { laneWithSlots } from './lane.ts';

/** Uses the number of slots of a server: the model starts with as many items. If the server has named it, it never runs more. */
export function slotsKnown({ runtime, model, slots, isLimit, now }: EventOf<'slots_known'>): Change {
  return inOrder(
    withControl(runtime, (control) =>
      withLane(control, laneWithSlots(laneOf(control, model), { count: slots, isLimit }, control.slots)),
    ),
    fillSlots(now),
  );
}
