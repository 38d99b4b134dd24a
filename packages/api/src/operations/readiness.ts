import type { Store } from '@macbatch/store';
import pTimeout from 'p-timeout';
import { isOutage } from '../requests/outage.ts';
import { RefusedRequest } from '../requests/refused-request.ts';

/** Cache lifetime of an answer in milliseconds. Requests need no key and are not limited. */
const VALID_MS = 1000;
/** Longest time for an answer of the database, in milliseconds. Shorter than the time-outs of load balancers. */
const DEADLINE_MS = 3000;

/** Checks whether a control plane can work. Asks the database at most once a second. */
export class Readiness {
  readonly #store: Pick<Store, 'schemaState'>;
  readonly #monotonicMs: () => number;
  #answer: { readonly validUntilMs: number; readonly refusal: Promise<RefusedRequest | null> } | null = null;

  constructor(store: Pick<Store, 'schemaState'>, monotonicMs: () => number) {
    this.#store = store;
    this.#monotonicMs = monotonicMs;
  }

  /** Null if the control plane is ready, or the reason if it is not. */
  async refusal(): Promise<RefusedRequest | null> {
    if (this.#answer === null || this.#answer.validUntilMs <= this.#monotonicMs())
      this.#answer = { validUntilMs: this.#monotonicMs() + VALID_MS, refusal: this.#look() };
    return this.#answer.refusal;
  }

  async #look(): Promise<RefusedRequest | null> {
    try {
      const state = await pTimeout(this.#store.schemaState(), {
        milliseconds: DEADLINE_MS,
        fallback: () => 'late' as const,
      });
      if (state === 'late')
        return new RefusedRequest(
          'database_unavailable',
          `The database has not answered for ${DEADLINE_MS} ms.`,
        );
      if (state.unknown > 0) {
        return new RefusedRequest(
          'not_ready',
          `The database has ${state.unknown} migrations that this version does not know. Upgrade this control plane.`,
        );
      }
      if (state.missing > 0) {
        return new RefusedRequest(
          'not_ready',
          `The database lacks ${state.missing} migrations of this version. Restart this control plane to apply them.`,
        );
      }
      return null;
    } catch (error) {
      if (!isOutage(error)) throw error;
      return new RefusedRequest('database_unavailable', 'The database does not answer.');
    }
  }
}
