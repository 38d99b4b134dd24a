/** Lets loops wait for a notification. A notification without a waiting loop ends the next wait. */
export class Signal {
  #notified = false;
  #waiting: (() => void)[] = [];

  /** Ends all waits. */
  notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) this.#notified = true;
    for (const wake of waiting) wake();
  }

  /** Resolves at the next notification, when the signal aborts, or after `ms` milliseconds. */
  async wait(signal: AbortSignal, ms?: number): Promise<void> {
    if (this.#notified || signal.aborted) {
      this.#notified = false;
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
