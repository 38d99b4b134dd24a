import type { Offer } from '../runtimes/runtime.ts';
import { type Change, set } from './change.ts';
import { type EndpointControl, type EndpointRun, roomFor } from './endpoint-control.ts';
import type { LeasedItem } from './held-task.ts';
import type { ItemRecord } from './item-record.ts';
import { laneForgot } from './lane.ts';
import { isSameOffer, isWithdrawn } from './withdrawals.ts';
import type { Run, RuntimeState, WorkerState } from './worker-state.ts';

/** Longest list of failed items that a runtime keeps. The oldest are forgotten first. */
const MAX_RECORDS = 1000;

/** The requests that are under way on a runtime. A run whose outcome is being saved has ended there. */
export function requestsOn({ runs }: WorkerState, runtime: number): readonly EndpointRun[] {
  return runs.filter((run) => run.runtime === runtime && run.saving === null).map(endpointRun);
}

export function endpointRun({ number, offer, startedAt, exclusive }: Run): EndpointRun {
  return { number, model: offer.model, startedAt, exclusive };
}

/** The runtimes that can run an offer and are not withdrawn, in order. */
export function runtimesFor(state: WorkerState, offer: Offer, now: number): readonly number[] {
  return state.runtimes.flatMap(({ offers }, runtime) =>
    offers.some((each) => isSameOffer(each, offer)) &&
    !isWithdrawn(state.withdrawals, { offer, runtime }, now)
      ? [runtime]
      : [],
  );
}

/** How many items of an offer may start on a runtime now. */
export function roomOn(state: WorkerState, runtime: number, offer: Offer, now: number): number {
  const { control, testing } = state.runtimes[runtime] ?? { control: undefined, testing: false };
  return control === undefined || testing
    ? 0
    : roomFor(control, offer.model, requestsOn(state, runtime), now);
}

/** Where an item of an offer may start, and how many may. Null while no runtime has room. */
export interface Place {
  /** Null if no runtime can run the offer: such an item is handed back. */
  readonly runtime: number | null;
  readonly room: number;
}

/** The first runtime with room for an offer. */
export function placeFor(state: WorkerState, offer: Offer, now: number): Place | null {
  const runtimes = runtimesFor(state, offer, now);
  if (runtimes.length === 0) return { runtime: null, room: state.settings.slots };
  for (const runtime of runtimes) {
    const room = roomOn(state, runtime, offer, now);
    if (room > 0) return { runtime, room };
  }
  return null;
}

/** The name of an item in records: item ids are unique within a job only, and a task belongs to one job. */
export function recordName(taskId: string, { item_id }: LeasedItem): string {
  return `${taskId}/${item_id}`;
}

/** The record of an item's failures on a runtime; null if it has not failed there. */
export function recordOf(state: WorkerState, runtime: number | null, name: string): ItemRecord | null {
  if (runtime === null) return null;
  return state.runtimes[runtime]?.records.find((record) => record.name === name) ?? null;
}

/** Changes the state of one runtime. */
export function withRuntime(runtime: number | null, changed: (before: RuntimeState) => RuntimeState): Change {
  return set((state) => ({
    ...state,
    runtimes: state.runtimes.map((each, index) => (index === runtime ? changed(each) : each)),
  }));
}

/** Changes the controller of one runtime. */
export function withControl(
  runtime: number | null,
  changed: (before: EndpointControl) => EndpointControl,
): Change {
  return withRuntime(runtime, (before) => ({ ...before, control: changed(before.control) }));
}

/** Notes that a runtime can run the run's offer. */
export function rememberAnswer({ runtime, offer }: Run): Change {
  return withRuntime(runtime, (before) =>
    hasAnswered(before, offer) ? before : { ...before, answeredOffers: [...before.answeredOffers, offer] },
  );
}

/** Whether a runtime has run an item of the offer. */
export function hasAnswered({ answeredOffers }: RuntimeState, offer: Offer): boolean {
  return answeredOffers.some((each) => isSameOffer(each, offer));
}

/** Stores an item's record in place of the one before. */
export function keepRecord(runtime: number | null, record: ItemRecord): Change {
  return withRuntime(runtime, (before) => ({
    ...before,
    records: [...before.records.filter(({ name }) => name !== record.name), record].slice(-MAX_RECORDS),
  }));
}

/** Forgets the failures of an item that has an outcome. */
export function forgetRecord(name: string): Change {
  return set((state) =>
    state.runtimes.some(({ records }) => records.some((each) => each.name === name))
      ? { ...state, runtimes: state.runtimes.map((runtime) => withoutItem(runtime, name)) }
      : state,
  );
}

function withoutItem(runtime: RuntimeState, name: string): RuntimeState {
  const { control, records } = runtime;
  return {
    ...runtime,
    control: { ...control, lanes: control.lanes.map((lane) => laneForgot(lane, name)) },
    records: records.filter((record) => record.name !== name),
  };
}
