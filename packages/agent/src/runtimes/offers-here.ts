import { OfferWithdrawals } from './offer-withdrawals.ts';
import { type Router, router } from './open-runtimes.ts';
import type { Offer, Runtime } from './runtime.ts';

/** What this worker asks for: what its runtimes offer, without what has turned out not to run here. */
export class OffersHere {
  readonly #router: Router;
  readonly #withdrawals = new OfferWithdrawals();
  readonly #now: () => number;

  constructor(runtimes: readonly Runtime[], now: () => number) {
    this.#router = router(runtimes);
    this.#now = now;
  }

  /** What was withdrawn is offered again after a while. */
  current(): readonly Offer[] {
    for (const { offer } of this.#withdrawals.due(this.#now())) this.#withdrawals.restore(offer);
    return this.#router.offers().filter((offer) => !this.#withdrawals.isWithdrawn(offer));
  }

  runtimeFor(offer: Offer): Runtime | undefined {
    return this.#router.runtimeFor(offer);
  }

  withdraw(offer: Offer, code: string): void {
    this.#withdrawals.withdraw(offer, code, this.#now());
  }

  succeeded(offer: Offer): void {
    this.#withdrawals.succeeded(offer);
  }

  close(): Promise<void> {
    return this.#router.close();
  }
}
