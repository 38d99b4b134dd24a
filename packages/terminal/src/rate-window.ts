/** Recent progress that a rate is taken from. */
const WINDOW_MS = 15_000;

/** The rate of something that is counted up, over the last seconds: what a person expects to go on. */
export class RateWindow {
  #samples: { readonly at: number; readonly count: number }[] = [];

  /** Notes the count at a moment in milliseconds and answers with the rate per second; NaN at first. */
  add(at: number, count: number): number {
    this.#samples.push({ at, count });
    const from = this.#samples.findLast((sample) => sample.at <= at - WINDOW_MS);
    if (from !== undefined) this.#samples = this.#samples.slice(this.#samples.indexOf(from));
    const first = this.#samples[0];
    if (first === undefined || first.at === at) return Number.NaN;
    return ((count - first.count) / (at - first.at)) * 1000;
  }
}
