/**
 * Repeatable random numbers (mulberry32). The simulation behind the scheduling uses the same generator, so that equal
 * seeds give equal traces there and here; pure-rand does not have it.
 */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0;
    for (let skipped = 0; skipped < 8; skipped += 1) this.next();
  }

  /** Returns a number from 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  /** Returns a log-normal number. `variation` is the coefficient of variation. */
  lognormal(mean: number, variation: number): number {
    const variance = Math.log(1 + variation * variation);
    return Math.exp(Math.log(mean) - variance / 2 + Math.sqrt(variance) * this.#normal());
  }

  boundedPareto(alpha: number, low: number, high: number): number {
    const u = this.next();
    const [lowest, highest] = [low ** alpha, high ** alpha];
    return (-(u * highest - u * lowest - highest) / (highest * lowest)) ** (-1 / alpha);
  }

  #normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }
}
