const TICK_MS = 20;
/** Shorter standstills are not kept. */
const SHORTEST_MS = 50;

/** Notes when this process did not get a processor, or was busy for long, so that its timers fired late. */
export class Standstills {
  readonly #found: { readonly end: number; readonly ms: number }[] = [];
  readonly #timer: NodeJS.Timeout;
  #last = performance.now();

  constructor() {
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  /** Length of the longest standstill that ended after `since`, in milliseconds. */
  longestSince(since: number): number {
    this.#tick();
    return Math.max(0, ...this.#found.filter(({ end }) => end >= since).map(({ ms }) => ms));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const now = performance.now();
    const ms = now - this.#last - TICK_MS;
    this.#last = now;
    if (ms >= SHORTEST_MS) this.#found.push({ end: now, ms });
  }
}
