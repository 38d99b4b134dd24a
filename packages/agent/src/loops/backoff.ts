import { setTimeout as delay } from 'node:timers/promises';
import { isOutage } from '@macbatch/client';
import type { Recovery } from './recovery.ts';

const FIRST_MS = 500;
const MAX_MS = 15_000;

export interface BackoffDeps {
  readonly random: () => number;
  readonly sleep: Sleep;
  /** Shared by the loops of a worker. */
  readonly recovery: Recovery;
}

/** Growing pauses between tries, with jitter so that the workers of a pool do not all retry at the same time. */
export class Backoff {
  readonly #deps: BackoffDeps;
  #failures = 0;

  constructor(deps: BackoffDeps) {
    this.#deps = deps;
  }

  /** Resets the pause to its first length, and ends the outage pauses of this worker's other loops. */
  succeeded(): void {
    this.#failures = 0;
    this.#deps.recovery.answered();
  }

  /**
   * Waits before the next try. Returns early when the signal aborts. After an outage it also returns when another
   * loop gets an answer, but not before the first pause has passed. Otherwise a call that fails while the other loops
   * succeed would retry without a pause.
   */
  async wait(error: unknown, signal: AbortSignal): Promise<void> {
    const { random, sleep, recovery } = this.#deps;
    const recovered = recovery.signal;
    const part = 0.5 + random() / 2;
    const ms = Math.min(FIRST_MS * 2 ** this.#failures, MAX_MS) * part;
    this.#failures += 1;
    const pause = (pauseMs: number, ...ends: readonly AbortSignal[]) =>
      sleep(pauseMs, AbortSignal.any([...ends])).catch(() => undefined);
    if (!isOutage(error)) {
      await pause(ms, signal);
      return;
    }
    const firstMs = Math.min(ms, FIRST_MS * part);
    await pause(firstMs, signal);
    if (ms > firstMs) await pause(ms - firstMs, signal, recovered);
  }
}

/** Resolves after `ms`; rejects when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Sleeps with a timer of this process. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal });
}
