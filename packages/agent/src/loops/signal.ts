/** Lets loops wait until something has changed. A ring that nobody waits for is kept for the next. */
export class Bell {
  #rung = false;
  #waiting: (() => void)[] = [];

  ring(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) this.#rung = true;
    for (const wake of waiting) wake();
  }

  /** Resolves at the next ring, when the signal aborts, or after `ms`. */
  async wait(signal: AbortSignal, ms?: number): Promise<void> {
    if (this.#rung || signal.aborted) {
      this.#rung = false;
      return;
    }
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#waiting = this.#waiting.filter((wake) => wake !== end);
        resolve();
      };
      const timer = ms === undefined ? undefined : setTimeout(end, ms);
      signal.addEventListener('abort', end);
      this.#waiting.push(end);
    });
  }
}
