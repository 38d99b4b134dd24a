/** How far back a rate looks, in milliseconds of work. */
const WINDOW_MS = 60_000;

interface Meter {
  running: number;
  /** When running items were last counted. */
  at: number;
  /** Work and finished items of the window, older ones faded out. */
  busyMs: number;
  finished: number;
  /** Finished items in all. */
  total: number;
}

/**
 * Items a second that a worker does of each kind of work, as a moving average over the last minute in which
 * it did that kind at all: idle time does not count.
 */
export class RateMeter {
  readonly #now: () => number;
  readonly #slots: number;
  readonly #meters = new Map<string, Meter>();

  constructor(now: () => number, slots: number) {
    this.#now = now;
    this.#slots = slots;
  }

  started(kind: string): void {
    this.#advanced(kind).running += 1;
  }

  /** An item of this kind has ended; `counts` when it was really run to its end. */
  ended(kind: string, counts: boolean): void {
    const meter = this.#advanced(kind);
    meter.running = Math.max(0, meter.running - 1);
    if (!counts) return;
    meter.finished += 1;
    meter.total += 1;
  }

  /** Null until as many items have finished as run at once: the first one tells nothing of the others. */
  itemsPerSecond(kind: string): number | null {
    const meter = this.#advanced(kind);
    if (meter.total < this.#slots || meter.busyMs <= 0) return null;
    return (meter.finished / meter.busyMs) * 1000;
  }

  #advanced(kind: string): Meter {
    const now = this.#now();
    const meter = this.#meters.get(kind) ?? { running: 0, at: now, busyMs: 0, finished: 0, total: 0 };
    this.#meters.set(kind, meter);
    // A wall clock may be set back, and a closed lid is no work.
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
