import type { LeaseRequest } from '@macbatch/contract';
import type { Offer, Runtime } from '../runtimes/runtime.ts';
import { runtimeFor } from '../worker/work-wanted.ts';
import type { WorkerState } from '../worker/worker-state.ts';
import { ModelLoads, type TimedRun } from './model-loads.ts';
import { OfferRates, type RatedOffer } from './offer-rates.ts';

/** The part of a lease request about one offer. */
type DescribedOffer = LeaseRequest['offers'][number];

/** Measures how fast this worker runs its offers, and what loading their models costs. */
export class WorkMeters {
  readonly #runtimes: readonly Runtime[];
  readonly #now: () => number;
  readonly #rates: OfferRates;
  readonly #loads: ModelLoads;

  constructor(runtimes: readonly Runtime[], now: () => number, slots: number) {
    this.#runtimes = runtimes;
    this.#now = now;
    this.#rates = new OfferRates(now, slots);
    this.#loads = new ModelLoads(now);
  }

  /** Starts to time an item. `runtime` is undefined if no runtime can run the offer. */
  started(offer: Offer, runtime: Runtime | undefined): TimedRun {
    this.#rates.started(offer);
    const load = runtime === undefined ? null : this.#loads.started(runtime, offer.model);
    return {
      swapped: load?.swapped === true,
      ended: (hasOutput) => {
        this.#rates.ended(offer, hasOutput);
        load?.ended(hasOutput);
      },
    };
  }

  /** Notes the models that the runtime's server said are in memory. */
  found(runtime: Runtime, loaded: readonly string[]): void {
    this.#loads.found(runtime, loaded);
  }

  /** Forgets the runtime's model, because its process has ended. */
  crashed(runtime: Runtime): void {
    this.#loads.forget(runtime);
  }

  /** The offer with its rate, whether its model is loaded, and what loading the model costs. */
  describe(offer: Offer, state: WorkerState): DescribedOffer {
    const loadSeconds = this.#loads.loadSeconds(this.#runtimeFor(offer, state), offer);
    return {
      ...this.#rates.rated(offer),
      ...(this.#isLoaded(offer, state) ? { loaded: true } : {}),
      ...(loadSeconds === null ? {} : { load_seconds: loadSeconds }),
    };
  }

  /** The offers whose rate is known. */
  knownRates(offers: readonly Offer[], state: WorkerState): (RatedOffer & { readonly loaded?: true })[] {
    return this.#rates
      .known(offers)
      .map((rate) => ({ ...rate, ...(this.#isLoaded(rate, state) ? { loaded: true as const } : {}) }));
  }

  #isLoaded(offer: Offer, state: WorkerState): boolean {
    return this.#loads.isLoaded(this.#runtimeFor(offer, state), offer);
  }

  #runtimeFor(offer: Offer, state: WorkerState): Runtime | undefined {
    const index = runtimeFor(state, offer, this.#now());
    return index === null ? undefined : this.#runtimes[index];
  }
}
