import { expect, it } from 'vitest';
import { ideal } from './ideal.ts';
import { type ScenarioName, workloadOf } from './scenarios.ts';
import { itemCount } from './workload.ts';

const seconds = (name: ScenarioName, seed: number) => {
  const { macs, jobs } = workloadOf(name, seed);
  return ideal(macs, jobs);
};

// Results of the simulator for seed 1. Other random numbers, or another order, would give other results.
it.each([
  ['homo8', 3999.9771218],
  ['hetero6', 3490.0723878],
  ['burst', 54.67346174],
  ['churn', 4427.8097765],
  ['flaky', 5125.557155],
  ['dead', 3568.38400843],
  ['heavy', 3382.26442434],
  ['twojobs', 3523.53538319],
  ['twomodels', 2793.01138497],
  ['poisonerr', 871.47553399],
  ['poisoncrash', 871.47553399],
  ['wifi', 3490.0723878],
  ['pool40', 1000.81826937],
] as const)('workloadOf: %s has the traces of the simulator', (name, simulated) => {
  expect(seconds(name, 1)).toBeCloseTo(simulated, 4);
});

it('workloadOf: gives equal workloads for equal seeds, and others for other seeds', () => {
  expect(workloadOf('wifi', 7)).toEqual(workloadOf('wifi', 7));
  expect(workloadOf('wifi', 7).macs[0]?.offline).not.toEqual(workloadOf('wifi', 8).macs[0]?.offline);
  expect(seconds('churn', 7)).not.toBe(seconds('churn', 8));
});

it('workloadOf: has the right number of bad items, and all are items of the job', () => {
  const [job] = workloadOf('poisoncrash', 3).jobs;
  expect([...(job?.poison.values() ?? [])]).toEqual(['crashes', 'crashes']);
  for (const n of job?.poison.keys() ?? []) expect(job?.costs[n]).toBeGreaterThan(0);
  expect(itemCount(workloadOf('twojobs', 3))).toBe(20_200);
});
