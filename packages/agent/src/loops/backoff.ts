import { setTimeout as delay } from 'node:timers/promises';

const FIRST_MS = 500;
const MAX_MS = 15_000;

/** Growing pauses between tries, with jitter so that the workers of a pool do not all retry at the same time. */
export class Backoff {
  readonly #random: () => number;
  readonly #sleep: Sleep;
  #failures = 0;

  constructor(random: () => number, sleep: Sleep) {
    this.#random = random;
    this.#sleep = sleep;
  }

  /** The next pause is the first again. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** Waits before the next try. Returns early when the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    const ms = Math.min(FIRST_MS * 2 ** this.#failures, MAX_MS) * (0.5 + this.#random() / 2);
    this.#failures += 1;
    await this.#sleep(ms, signal).catch(() => undefined);
  }
}

/** Resolves after `ms`; rejects when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Sleeps by this process's timers. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal });
}
