import { workKindKey } from '@macbatch/core';
import type { Offer } from '../runtimes/runtime.ts';
import { RateMeter } from './rate-meter.ts';

/** The control plane's limit for a reported rate. */
const MAX_ITEMS_PER_SECOND = 100_000;

/** An offer, with the rate at which this worker runs it if that is known. */
export type RatedOffer = Offer & { readonly items_per_second: number };

/** How fast this worker runs each of its offers. */
export class OfferRates {
  readonly #meter: RateMeter;

  constructor(now: () => number, slots: number) {
    this.#meter = new RateMeter(now, slots);
  }

  /** Counts an item that starts. */
  started(offer: Offer): void {
    this.#meter.started(keyOf(offer));
  }

  /** Counts an item that ends. Only items with an output count towards the rate. */
  ended(offer: Offer, hasOutput: boolean): void {
    this.#meter.ended(keyOf(offer), hasOutput);
  }

  /** Adds the rate to an offer, if it is known. */
  rated(offer: Offer): Offer | RatedOffer {
    const rate = this.#meter.itemsPerSecond(keyOf(offer));
    return rate === null ? offer : { ...offer, items_per_second: Math.min(rate, MAX_ITEMS_PER_SECOND) };
  }

  /** The offers whose rate is known, each with its rate. */
  known(offers: readonly Offer[]): RatedOffer[] {
    return offers.map((offer) => this.rated(offer)).filter((offer) => 'items_per_second' in offer);
  }
}

function keyOf({ job_type, model }: Offer): string {
  return workKindKey({ jobType: job_type, model });
}
