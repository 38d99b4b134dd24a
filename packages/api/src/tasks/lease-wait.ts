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
  #rung = false;
  #wake: (() => void) | null = null;

  constructor(store: Store) {
    this.#store = store;
    this.#unsubscribe = store.subscribe(() => {
      this.#rung = true;
      this.#wake?.();
    });
  }

  /**
   * Waits until there may be work, `ms` milliseconds have passed, or the caller has disconnected. Also ends when the next lease
   * can expire, so that waiting workers alone still expire leases. Returns true after a notification
   * of work.
   */
  async wait(ms: number, cancelled: AbortSignal): Promise<boolean> {
    if (!this.#rung) {
      const wait = Math.max(1, Math.min(ms, LOOK_AGAIN_MS, this.#store.quietForMs()));
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer);
          cancelled.removeEventListener('abort', end);
          this.#wake = null;
          resolve();
        };
        const timer = setTimeout(end, wait);
        cancelled.addEventListener('abort', end);
        this.#wake = end;
      });
    }
    const rung = this.#rung;
    this.#rung = false;
    return rung;
  }

  stop(): void {
    this.#unsubscribe();
  }
}
