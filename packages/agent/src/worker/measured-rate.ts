/** Sums over items that ran at one limit, from which their rate and its error follow. */
export interface Sample {
  readonly items: number;
  /** Of the work of each item times the limit, and of its time in milliseconds. */
  readonly work: number;
  readonly ms: number;
  readonly workSquared: number;
  readonly workTimesMs: number;
  readonly msSquared: number;
}

export const NO_SAMPLE: Sample = {
  items: 0,
  work: 0,
  ms: 0,
  workSquared: 0,
  workTimesMs: 0,
  msSquared: 0,
};

/**
 * Adds an item. Items that run concurrently share the time: each stands for as many items as the limit, so its work is
 * multiplied by the limit.
 */
export function withItem(sample: Sample, units: number, ms: number, limit: number): Sample {
  const work = units * limit;
  return {
    items: sample.items + 1,
    work: sample.work + work,
    ms: sample.ms + ms,
    workSquared: sample.workSquared + work * work,
    workTimesMs: sample.workTimesMs + work * ms,
    msSquared: sample.msSquared + ms * ms,
  };
}

/** Adds a newer sample to an older one, which counts half. */
export function withNewer(older: Sample, newer: Sample): Sample {
  const sum = (name: keyof Sample) => older[name] / 2 + newer[name];
  return {
    items: sum('items'),
    work: sum('work'),
    ms: sum('ms'),
    workSquared: sum('workSquared'),
    workTimesMs: sum('workTimesMs'),
    msSquared: sum('msSquared'),
  };
}

/** The rate of a sample, in units a millisecond. */
function rateOf({ work, ms }: Sample): number {
  return ms <= 0 ? 0 : work / ms;
}

/**
 * By what factor the rate of one sample is higher than that of another: the best guess, and one standard error below and
 * above it. The error of a ratio of sums follows from its residuals, so a rate is exact where time and work agree.
 */
export function gainOf(
  one: Sample,
  other: Sample,
  errors = 1,
): { readonly low: number; readonly high: number; readonly gain: number } {
  const gain = rateOf(one) / rateOf(other);
  const error = errors * Math.sqrt(squaredError(one) + squaredError(other));
  return { gain, low: gain * Math.exp(-error), high: gain * Math.exp(error) };
}

/** The square of the relative standard error of a rate. */
function squaredError(sample: Sample): number {
  const { items, work, workSquared, workTimesMs, msSquared } = sample;
  if (items < 2 || work <= 0) return 1;
  const rate = rateOf(sample);
  const residuals = workSquared - 2 * rate * workTimesMs + rate * rate * msSquared;
  return (Math.max(0, residuals) / (work * work)) * ((items + 4) / (items - 1));
}
