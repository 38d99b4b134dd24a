import type { Store } from '@macbatch/store';

/**
 * Longest time that a waiting lease request sleeps before it looks for work again. Short, because no notification
 * reports that a holder is overdue. Waiting requests share the cost of each look.
 */
const LOOK_AGAIN_MS = 1000;

/** Listens for new work. It starts before the caller looks for work, so that nothing is missed in between. */
export class WorkWatch {
  readonly #store: Store;
  readonly #unsubscribe: () => void;
  #notified = false;
  #wake: (() => void) | null = null;

  constructor(store: Store) {
    this.#store = store;
    this.#unsubscribe = store.subscribe(() => {
      this.#notified = true;
      this.#wake?.();
    });
  }

  /**
   * Waits until there may be work, `maxWaitMs` has passed, or the caller has disconnected. Also ends when the next
   * lease can expire, so that leases expire even if all workers wait. Returns true after a notification of work.
   */
  async wait(maxWaitMs: number, cancelled: AbortSignal): Promise<boolean> {
    if (!this.#notified) {
      const waitMs = Math.max(1, Math.min(maxWaitMs, LOOK_AGAIN_MS, this.#store.untilNextExpiryMs()));
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer);
          cancelled.removeEventListener('abort', end);
          this.#wake = null;
          resolve();
        };
        const timer = setTimeout(end, waitMs);
        cancelled.addEventListener('abort', end);
        this.#wake = end;
      });
    }
    const notified = this.#notified;
    this.#notified = false;
    return notified;
  }

  stop(): void {
    this.#unsubscribe();
  }
}
