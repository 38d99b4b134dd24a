import type { ScenarioName } from './scenarios.ts';

/** Results of the simulation for one set of rules. */
export interface Figures {
  /** makespan / ideal */
  readonly ratio: number;
  /** The ratio for seed 1 only. A replay with `--seed 1` has the same traces. */
  readonly ofSeed1: number;
  /** Wasted work in percent of the accepted work. */
  readonly waste: number;
  readonly goodItemsFailed: number;
  readonly requestsPerItem: number;
}

export interface Simulated {
  /** In seconds. */
  readonly ideal: number;
  /** With all mechanisms that the simulation recommends. Lids close without notice. */
  readonly product: Figures;
  /** With shards of 50, a lease limit of 4, and no other mechanism. */
  readonly base: Figures;
}

export type Replayed = Exclude<ScenarioName, 'smoke'>;

/**
 * Results of the discrete-event simulation that the scheduling was designed with: means over the seeds 1 to 20. Its
 * recommended rules include copies of the items of slow or silent Macs, and model affinity.
 */
export const SIMULATED: Readonly<Record<Replayed, Simulated>> = {
  homo8: {
    ideal: 4000,
    product: { ratio: 1.004, ofSeed1: 1.003, waste: 0.19, goodItemsFailed: 0, requestsPerItem: 0.414 },
    base: { ratio: 1.333, ofSeed1: 1.229, waste: 24.02, goodItemsFailed: 0, requestsPerItem: 0.097 },
  },
  hetero6: {
    ideal: 3478,
    product: { ratio: 1.002, ofSeed1: 1.002, waste: 0.07, goodItemsFailed: 0, requestsPerItem: 0.12 },
    base: { ratio: 1.135, ofSeed1: 1.131, waste: 2.97, goodItemsFailed: 0, requestsPerItem: 0.035 },
  },
  burst: {
    ideal: 53,
    product: { ratio: 1.147, ofSeed1: 1.153, waste: 3.83, goodItemsFailed: 0, requestsPerItem: 0.283 },
    base: { ratio: 7.409, ofSeed1: 2.568, waste: 2.45, goodItemsFailed: 0, requestsPerItem: 1.209 },
  },
  churn: {
    ideal: 5588,
    product: { ratio: 1.005, ofSeed1: 1.005, waste: 0.42, goodItemsFailed: 0, requestsPerItem: 0.126 },
    base: { ratio: 1.14, ofSeed1: 1.099, waste: 4.07, goodItemsFailed: 2.5, requestsPerItem: 0.036 },
  },
  flaky: {
    ideal: 5069,
    product: { ratio: 1.016, ofSeed1: 1.018, waste: 1.22, goodItemsFailed: 0, requestsPerItem: 0.122 },
    base: { ratio: 1.281, ofSeed1: 1.211, waste: 5.93, goodItemsFailed: 122.5, requestsPerItem: 0.059 },
  },
  dead: {
    ideal: 4059,
    product: { ratio: 1.003, ofSeed1: 1.004, waste: 0.13, goodItemsFailed: 0, requestsPerItem: 0.131 },
    base: { ratio: 1.158, ofSeed1: 1.155, waste: 3.52, goodItemsFailed: 0, requestsPerItem: 0.034 },
  },
  heavy: {
    ideal: 3477,
    product: { ratio: 1.017, ofSeed1: 1.013, waste: 0.25, goodItemsFailed: 0, requestsPerItem: 0.109 },
    base: { ratio: 1.43, ofSeed1: 1.471, waste: 4.41, goodItemsFailed: 0, requestsPerItem: 0.041 },
  },
  twojobs: {
    ideal: 3513,
    product: { ratio: 1.002, ofSeed1: 1.003, waste: 0.06, goodItemsFailed: 0, requestsPerItem: 0.12 },
    base: { ratio: 1.123, ofSeed1: 1.159, waste: 2.92, goodItemsFailed: 0, requestsPerItem: 0.033 },
  },
  twomodels: {
    ideal: 2785,
    product: { ratio: 1.025, ofSeed1: 1.025, waste: 0.08, goodItemsFailed: 0, requestsPerItem: 0.124 },
    base: { ratio: 1.169, ofSeed1: 1.154, waste: 3.47, goodItemsFailed: 0, requestsPerItem: 0.035 },
  },
  poisonerr: {
    ideal: 870,
    product: { ratio: 1.009, ofSeed1: 1.005, waste: 0.27, goodItemsFailed: 0, requestsPerItem: 0.128 },
    base: { ratio: 1.712, ofSeed1: 1.697, waste: 7.66, goodItemsFailed: 144.5, requestsPerItem: 0.122 },
  },
  poisoncrash: {
    ideal: 870,
    product: { ratio: 1.089, ofSeed1: 1.055, waste: 0.38, goodItemsFailed: 0, requestsPerItem: 0.135 },
    base: { ratio: 2.859, ofSeed1: 3.05, waste: 6.76, goodItemsFailed: 213, requestsPerItem: 0.319 },
  },
  wifi: {
    ideal: 3478,
    product: { ratio: 1.034, ofSeed1: 1.037, waste: 0.35, goodItemsFailed: 0, requestsPerItem: 0.122 },
    base: { ratio: 1.134, ofSeed1: 1.15, waste: 2.95, goodItemsFailed: 0, requestsPerItem: 0.033 },
  },
  pool40: {
    ideal: 938,
    product: { ratio: 1.019, ofSeed1: 1.023, waste: 0.64, goodItemsFailed: 0, requestsPerItem: 0.15 },
    base: { ratio: 2.052, ofSeed1: 1.927, waste: 5.54, goodItemsFailed: 15, requestsPerItem: 0.219 },
  },
};
