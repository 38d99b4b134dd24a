/** Length of the moving average, in milliseconds of work. */
const WINDOW_MS = 60_000;

interface Meter {
  running: number;
  /** When the meter was last updated. */
  at: number;
  /** Time with running items, and finished items. Both fade out over the window. */
  busyMs: number;
  finished: number;
  /** Finished items in total. */
  total: number;
}

/**
 * Measures the rate of each kind of work, in items a second: a moving average over the last minute of work of that
 * kind. Idle time does not count.
 */
export class RateMeter {
  readonly #now: () => number;
  readonly #slots: number;
  readonly #meters = new Map<string, Meter>();

  constructor(now: () => number, slots: number) {
    this.#now = now;
    this.#slots = slots;
  }

  /** An item of this kind has started. */
  started(kind: string): void {
    this.#upToDate(kind).running += 1;
  }

  /** An item of this kind has ended. `counts`: it ran to its end. */
  ended(kind: string, counts: boolean): void {
    const meter = this.#upToDate(kind);
    meter.running = Math.max(0, meter.running - 1);
    if (!counts) return;
    meter.finished += 1;
    meter.total += 1;
  }

  /** Null until as many items have finished as there are slots: the first one is no measure for the others. */
  itemsPerSecond(kind: string): number | null {
    const meter = this.#upToDate(kind);
    if (meter.total < this.#slots || meter.busyMs <= 0) return null;
    return (meter.finished / meter.busyMs) * 1000;
  }

  #upToDate(kind: string): Meter {
    const now = this.#now();
    const meter = this.#meters.get(kind) ?? { running: 0, at: now, busyMs: 0, finished: 0, total: 0 };
    this.#meters.set(kind, meter);
    // A wall clock may be set back, and a closed lid is not work.
    const passed = Math.min(Math.max(0, now - meter.at), WINDOW_MS);
    meter.at = now;
    if (meter.running > 0 && passed > 0) {
      const fade = Math.exp(-passed / WINDOW_MS);
      meter.busyMs = meter.busyMs * fade + passed;
      meter.finished *= fade;
    }
    return meter;
  }
}
