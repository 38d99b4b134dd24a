import type { Offer } from '../runtimes/runtime.ts';
import { type Change, emit, forEach, inOrder, nothing, set } from './change.ts';
import { laneOf } from './endpoint-control.ts';
import { requestsOn, withControl, withRuntime } from './endpoint-runs.ts';
import { reached as serverReached } from './endpoint-trouble.ts';
import type { EventOf } from './event.ts';
import { type Gate, isShut, isUnreachable } from './gate.ts';
import { isStartable, offerOf } from './held-task.ts';
import type { ItemEnd, RuntimeWithdrawal } from './item-end.ts';
import { dueForProbe, isSameOffer, isWithdrawn, restore, withdraw } from './withdrawals.ts';
import type { Run, WorkerState } from './worker-state.ts';

/** Stops asking for an offer that failed here, and withdraws the offers that its runtime names. */
export function withdrawFailed(
  { offer, runtime }: Run,
  { error, withdraws }: Extract<ItemEnd, { readonly kind: 'not_here' }>,
  now: number,
): Change {
  const { code, message } = error;
  // Without a word from the runtime, the worker does not ask for the offer at all for a while.
  if (runtime === null || withdraws === undefined)
    return (state) =>
      runtime === null && isWithdrawnBySome(state, offer, now)
        ? nothing(state)
        : withdrawOne({ offer, runtime: null, code, message, ends: 'pause' }, now)(state);
  return (state) =>
    forEach(reached(state, runtime, offer, withdraws.reach), (each) =>
      withdrawOne({ offer: each, runtime, code, message, ends: withdraws.until }, now),
    )(state);
}

/** Whether a runtime has withdrawn the offer itself. A lease request that was open may still bring a task of it. */
function isWithdrawnBySome({ runtimes, withdrawals }: WorkerState, offer: Offer, now: number): boolean {
  return runtimes.some((_, runtime) => isWithdrawn(withdrawals, { offer, runtime }, now));
}

/** Has each runtime probe what it could not run or reach and whose pause is over, one probe at a time. */
export function probeDueOffers(now: number): Change {
  return (state) => {
    const due = dueForProbe(state.withdrawals, now);
    return forEach(state.runtimes.keys(), (runtime) => {
      const offers = [
        ...due.filter((each) => each.runtime === runtime),
        ...unreachableOffers(state, runtime, now),
      ];
      return offers.length === 0 ? nothing : probe(runtime, offers);
    })(state);
  };
}

/** Offers of an unreachable runtime without a waiting item. A waiting item is itself the probe. */
function unreachableOffers(
  state: WorkerState,
  runtime: number,
  now: number,
): readonly { readonly offer: Offer; readonly code: string }[] {
  const { control, offers } = state.runtimes[runtime] ?? { control: undefined, offers: [] };
  if (control === undefined || requestsOn(state, runtime).length > 0) return [];
  const waiting = state.tasks.filter(isStartable).map(offerOf);
  const seen = new Set<string>();
  return offers.flatMap((offer) => {
    const gate = control.gate ?? laneOf(control, offer.model).gate;
    if (!isUnreachable(gate) || isShut(gate, now) || seen.has(offer.model)) return [];
    if (waiting.some((each) => offers.some((own) => isSameOffer(own, each)))) return [];
    seen.add(offer.model);
    return [{ offer, code: gate.error.code }];
  });
}

/** Makes offers again that work again; the others are withdrawn for twice as long. */
export function offersProbed({ runtime, results, now }: EventOf<'offers_probed'>): Change {
  return inOrder(
    setProbing(runtime, false),
    forEach(results, (result) => probed(runtime, result, now)),
  );
}

function probed(
  runtime: number,
  { offer, code, works }: EventOf<'offers_probed'>['results'][number],
  now: number,
): Change {
  return (state) => {
    const control = state.runtimes[runtime]?.control;
    const gates = control === undefined ? [] : [control.gate, laneOf(control, offer.model).gate];
    if (gates.some((gate) => isUnreachable(gate) && gate.error.code === code)) {
      return works ? serverIsBack(runtime)(state) : stillUnreachable(runtime, now)(state);
    }
    if (works) {
      return {
        state: { ...state, withdrawals: restore(state.withdrawals, { offer, runtime }) },
        effects: [],
      };
    }
    return withdrawOne({ offer, runtime, code, ends: 'probe' }, now)(state);
  };
}

/** The server may have been started with another number of slots. */
function serverIsBack(runtime: number): Change {
  return inOrder(
    serverReached(runtime, isUnreachable),
    withRuntime(runtime, (before) => ({ ...before, slotsAsked: [] })),
  );
}

function stillUnreachable(runtime: number, now: number): Change {
  return (state) => {
    const until = now + state.settings.pauses.unreachableMs;
    const later = (gate: Gate | null) => (isUnreachable(gate) ? { ...gate, until } : gate);
    return withControl(runtime, (control) => ({
      ...control,
      gate: later(control.gate),
      lanes: control.lanes.map((lane) => ({ ...lane, gate: later(lane.gate) })),
    }))(state);
  };
}

function probe(runtime: number, due: readonly { readonly offer: Offer; readonly code: string }[]): Change {
  return (state) => {
    if (state.runtimes[runtime]?.probing !== false) return nothing(state);
    return inOrder(
      setProbing(runtime, true),
      emit({ kind: 'probe_offers', runtime, offers: due.map(({ offer, code }) => ({ offer, code })) }),
    )(state);
  };
}

function withdrawOne(failed: Parameters<typeof withdraw>[1], now: number): Change {
  return set((state) => ({
    ...state,
    withdrawals: withdraw(state.withdrawals, failed, now, state.settings.pauses),
  }));
}

function reached(
  state: WorkerState,
  runtime: number,
  failed: Offer,
  reach: RuntimeWithdrawal['reach'],
): readonly Offer[] {
  return (state.runtimes[runtime]?.offers ?? []).filter(
    (offer) =>
      reach === 'runtime' ||
      (reach === 'model' && offer.model === failed.model) ||
      isSameOffer(offer, failed),
  );
}

function setProbing(runtime: number, probing: boolean): Change {
  return set((state) => ({
    ...state,
    runtimes: state.runtimes.map((each, index) => (index === runtime ? { ...each, probing } : each)),
  }));
}
