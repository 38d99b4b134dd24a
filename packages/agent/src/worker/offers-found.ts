import { type Change, emit, inOrder, log, nothing, set } from './change.ts';
import type { EventOf } from './event.ts';
import { isSameOffer } from './withdrawals.ts';

/**
 * Offers what a discovered server has now. Forgets what is known of models that it no longer has, and the withdrawals of
 * models that it has again. Items that run or wait for a model that is gone are handed back like others that the worker
 * does not offer.
 */
export function offersFound({ runtime, name, offers }: EventOf<'offers_found'>): Change {
  return (state) => {
    const before = state.runtimes[runtime];
    if (before === undefined) return nothing(state);
    const isSame = (one: typeof offers, other: typeof offers) =>
      one.every((offer) => other.some((each) => isSameOffer(offer, each)));
    if (before.name === name && isSame(offers, before.offers) && isSame(before.offers, offers))
      return nothing(state);
    const models = new Set(offers.map(({ model }) => model));
    const isNew = (offer: (typeof offers)[number]) =>
      offers.some((each) => isSameOffer(each, offer)) &&
      !before.offers.some((each) => isSameOffer(each, offer));
    return inOrder(
      set((after) => ({
        ...after,
        runtimes: after.runtimes.map((each, index) =>
          index === runtime
            ? {
                ...each,
                name,
                offers,
                control: {
                  ...each.control,
                  // The reason for the gate has gone with the server.
                  gate: offers.length === 0 ? null : each.control.gate,
                  lanes: each.control.lanes.filter(({ model }) => models.has(model)),
                },
                answeredOffers: each.answeredOffers.filter(({ model }) => models.has(model)),
                slotsAsked: each.slotsAsked.filter((model) => models.has(model)),
              }
            : each,
        ),
        withdrawals: after.withdrawals.filter(
          (each) =>
            !(each.runtime === runtime && !models.has(each.offer.model)) &&
            !((each.runtime === runtime || each.runtime === null) && isNew(each.offer)),
        ),
      })),
      log('models.found', { endpoint: name, models: [...models] }),
      emit({ kind: 'send_heartbeat' }),
    )(state);
  };
}
