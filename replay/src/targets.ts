import type { Replayed } from './simulated.ts';

/** Upper limits of a replay with the product rules: makespan / ideal, and waste in percent. */
export interface Target {
  readonly ratio: number;
  readonly waste: number;
}

/**
 * The goals of the scheduling simulation for a test with simulated workers. They include an allowance for what the
 * simulator does not model: processes, HTTP and Postgres.
 */
export const TARGETS: Readonly<Record<Replayed, Target>> = {
  homo8: { ratio: 1.05, waste: 0.5 },
  hetero6: { ratio: 1.05, waste: 0.5 },
  burst: { ratio: 1.4, waste: 6 },
  churn: { ratio: 1.08, waste: 1 },
  flaky: { ratio: 1.1, waste: 2 },
  dead: { ratio: 1.06, waste: 0.5 },
  heavy: { ratio: 1.1, waste: 1 },
  twojobs: { ratio: 1.05, waste: 0.5 },
  twomodels: { ratio: 1.08, waste: 0.5 },
  poisonerr: { ratio: 1.08, waste: 1 },
  poisoncrash: { ratio: 1.25, waste: 1 },
  wifi: { ratio: 1.1, waste: 1 },
  pool40: { ratio: 1.1, waste: 1.5 },
};

/** Most requests per item if an item is 4 s of work. */
export const MOST_REQUESTS_PER_ITEM = 0.25;

/** Most model loads in `twomodels`: each of the six Macs loads each of the two models once. */
export const MOST_LOADS = 12;

/** Most time that the small job of `twojobs` may take, as a multiple of its time alone. */
export const SLOWEST_SMALL_JOB = 5;
