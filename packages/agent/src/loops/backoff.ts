import { setTimeout as delay } from 'node:timers/promises';

const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/** Growing pauses between tries, spread so that a pool does not come back all at once. */
export class Backoff {
  readonly #random: () => number;
  readonly #sleep: Sleep;
  #failures = 0;

  constructor(random: () => number, sleep: Sleep) {
    this.#random = random;
    this.#sleep = sleep;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  /** Waits before the next try; returns early when the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    const ms = Math.min(FIRST_MS * 2 ** this.#failures, LONGEST_MS) * (0.5 + this.#random() / 2);
    this.#failures += 1;
    await this.#sleep(ms, signal).catch(() => undefined);
  }
}

/** Resolves after `ms`; rejects when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** By this process's timers. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal });
}
