import type { Store } from '@macbatch/store';

/**
 * How long a waiting lease trusts that it will be woken before it looks by itself. Short, because nobody tells
 * that a holder has become overdue; what a look needs is shared by all that wait.
 */
const LOOK_AGAIN_MS = 1000;

/** Listens for work from before a caller looks for it, so that what comes in between is not missed. */
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
   * Waits until there may be work, `ms` have passed or the caller has gone. Also ends when the next lease
   * can expire, so that a pool of workers that only wait still takes expired tasks back. True where it was told
   * of work.
   */
  async wait(ms: number, gone: AbortSignal): Promise<boolean> {
    if (!this.#rung) {
      const wait = Math.max(1, Math.min(ms, LOOK_AGAIN_MS, this.#store.quietForMs()));
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer);
          gone.removeEventListener('abort', end);
          this.#wake = null;
          resolve();
        };
        const timer = setTimeout(end, wait);
        gone.addEventListener('abort', end);
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
