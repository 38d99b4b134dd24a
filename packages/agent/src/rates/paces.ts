import type { Offer } from '../runtimes/runtime.ts';
import { RateMeter } from './rate-meter.ts';

/** No control plane believes more. */
const MOST_ITEMS_PER_SECOND = 100_000;

/** An offer, with the pace at which it is run here where that is known. */
export type PacedOffer = Offer & { readonly items_per_second: number };

/** How fast this worker runs what it offers. */
export class Paces {
  readonly #rates: RateMeter;

  constructor(now: () => number, concurrency: number) {
    this.#rates = new RateMeter(now, concurrency);
  }

  started(offer: Offer): void {
    this.#rates.started(kindOf(offer));
  }

  ended(offer: Offer, withOutput: boolean): void {
    this.#rates.ended(kindOf(offer), withOutput);
  }

  /** The offer with its pace; as it is while none is known. */
  paced(offer: Offer): Offer | PacedOffer {
    const pace = this.#rates.itemsPerSecond(kindOf(offer));
    return pace === null ? offer : { ...offer, items_per_second: Math.min(pace, MOST_ITEMS_PER_SECOND) };
  }

  /** Those of which the pace is known. */
  known(offers: readonly Offer[]): PacedOffer[] {
    return offers.map((offer) => this.paced(offer)).filter((offer) => 'items_per_second' in offer);
  }
}

function kindOf({ job_type, model }: Offer): string {
  return JSON.stringify([job_type, model]);
}
