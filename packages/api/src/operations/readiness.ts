import type { Store } from '@macbatch/store';
import pTimeout from 'p-timeout';
import { isOutage } from '../requests/outage.ts';
import { RefusedRequest } from '../requests/refused-request.ts';

/** How long an answer is believed: anybody may ask, as often as they like. */
const BELIEVED_MS = 1000;
/** Longer than a database that is well takes, shorter than who asks waits. */
const DEADLINE_MS = 3000;

/** Tells whether a control plane can do its work. Asks the database once a second at most. */
export class Readiness {
  readonly #store: Pick<Store, 'schemaState'>;
  readonly #monotonicMs: () => number;
  #answer: { readonly until: number; readonly refusal: Promise<RefusedRequest | null> } | null = null;

  constructor(store: Pick<Store, 'schemaState'>, monotonicMs: () => number) {
    this.#store = store;
    this.#monotonicMs = monotonicMs;
  }

  /** Null where all is well, else what is missing. */
  async refusal(): Promise<RefusedRequest | null> {
    if (this.#answer === null || this.#answer.until <= this.#monotonicMs())
      this.#answer = { until: this.#monotonicMs() + BELIEVED_MS, refusal: this.#look() };
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
          `The database holds ${state.unknown} migrations that this version does not know. Upgrade this control plane.`,
        );
      }
      if (state.missing > 0) {
        return new RefusedRequest(
          'not_ready',
          `The database lacks ${state.missing} migrations of this version. Start this control plane again: it applies them.`,
        );
      }
      return null;
    } catch (error) {
      if (!isOutage(error)) throw error;
      return new RefusedRequest('database_unavailable', 'The database does not answer.');
    }
  }
}
