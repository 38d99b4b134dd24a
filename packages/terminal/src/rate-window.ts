/** The rate is measured over this time. */
const WINDOW_MS = 15_000;

/** Measures the recent rate of a growing count. */
export class RateWindow {
  #samples: { readonly atMs: number; readonly count: number }[] = [];

  /** Adds a sample, and returns the rate per second. Returns NaN for the first sample. */
  add(atMs: number, count: number): number {
    this.#samples.push({ atMs, count });
    const from = this.#samples.findLast((sample) => sample.atMs <= atMs - WINDOW_MS);
    if (from !== undefined) this.#samples = this.#samples.slice(this.#samples.indexOf(from));
    const first = this.#samples[0];
    if (first === undefined || first.atMs === atMs) return Number.NaN;
    return ((count - first.count) / (atMs - first.atMs)) * 1000;
  }
}
