import type { Offer } from '../runtimes/runtime.ts';
import { type Change, emit, forEach, inOrder, nothing, set } from './change.ts';
import type { EventOf } from './event.ts';
import type { ItemEnd, RuntimeWithdrawal } from './item-end.ts';
import { dueForProbe, isSameOffer, restore, withdraw } from './withdrawals.ts';
import type { Run, WorkerState } from './worker-state.ts';

/** Stops asking for an offer that failed here, and withdraws the offers that its runtime names. */
export function withdrawFailed(
  { offer, runtime }: Run,
  { error, withdraws }: Extract<ItemEnd, { readonly kind: 'not_here' }>,
  now: number,
): Change {
  const { code } = error;
  return inOrder(
    withdrawOne({ offer, runtime: null, code, ends: 'pause' }, now),
    runtime === null || withdraws === undefined
      ? nothing
      : (state) =>
          forEach(reached(state, runtime, offer, withdraws.reach), (each) =>
            withdrawOne({ offer: each, runtime, code, ends: withdraws.until }, now),
          )(state),
  );
}

/** Has each runtime probe its withdrawn offers whose pause is over, one probe at a time. */
export function probeDueOffers(now: number): Change {
  return (state) => {
    const due = dueForProbe(state.withdrawals, now);
    const runtimes = new Set(due.map(({ runtime }) => runtime));
    return forEach(runtimes, (runtime) =>
      runtime === null
        ? nothing
        : probe(
            runtime,
            due.filter((each) => each.runtime === runtime),
          ),
    )(state);
  };
}

/** Makes offers again that work again; the others are withdrawn for twice as long. */
export function offersProbed({ runtime, results, now }: EventOf<'offers_probed'>): Change {
  return inOrder(
    setProbing(runtime, false),
    forEach(results, ({ offer, code, works }) =>
      works
        ? set((state) => ({ ...state, withdrawals: restore(state.withdrawals, { offer, runtime }) }))
        : withdrawOne({ offer, runtime, code, ends: 'probe' }, now),
    ),
  );
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
  return set((state) => ({ ...state, withdrawals: withdraw(state.withdrawals, failed, now) }));
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
