import type { Offer } from './runtime.ts';

const FIRST_MS = 60_000;
const LONGEST_MS = 60 * 60_000;

interface Withdrawal {
  readonly offer: Offer;
  readonly code: string;
  /** Doubles each time it is withdrawn again without a success between. */
  readonly pauseMs: number;
  readonly until: number;
  readonly withdrawn: boolean;
}

/** Which offers are withdrawn and when to look again. Times are whatever the caller's clock says. */
export class OfferWithdrawals {
  readonly #byOffer = new Map<string, Withdrawal>();

  withdraw(offer: Offer, code: string, now: number): void {
    const before = this.#byOffer.get(keyOf(offer));
    // Items that failed together are one failure, not many.
    if (before?.withdrawn === true && now < before.until) return;
    const pauseMs = before === undefined ? FIRST_MS : Math.min(2 * before.pauseMs, LONGEST_MS);
    this.#byOffer.set(keyOf(offer), { offer, code, pauseMs, until: now + pauseMs, withdrawn: true });
  }

  isWithdrawn(offer: Offer): boolean {
    return this.#byOffer.get(keyOf(offer))?.withdrawn === true;
  }

  /** What has been withdrawn long enough to look at again, with the code of its failure. */
  due(now: number): readonly { readonly offer: Offer; readonly code: string }[] {
    return [...this.#byOffer.values()].filter(({ withdrawn, until }) => withdrawn && until <= now);
  }

  /** Offered again, on probation: the next failure withdraws it for longer. */
  restore(offer: Offer): void {
    const before = this.#byOffer.get(keyOf(offer));
    if (before !== undefined) this.#byOffer.set(keyOf(offer), { ...before, withdrawn: false });
  }

  /** It ran: forget that it ever failed. */
  succeeded(offer: Offer): void {
    this.#byOffer.delete(keyOf(offer));
  }
}

function keyOf({ job_type, model }: Offer): string {
  return JSON.stringify([job_type, model]);
}
