import { expect, it } from 'vitest';
import { ideal } from './ideal.ts';
import { type ScenarioName, workloadOf } from './scenarios.ts';
import { itemCount } from './workload.ts';

const seconds = (name: ScenarioName, seed: number) => {
  const { macs, jobs } = workloadOf(name, seed);
  return ideal(macs, jobs);
};

// What the simulator answers for its seed 1: other draws, or in another order, would give others.
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
] as const)('%s has the traces of the simulator', (name, simulated) => {
  expect(seconds(name, 1)).toBeCloseTo(simulated, 4);
});

it('a seed gives the same workload each time, and another one another', () => {
  expect(workloadOf('wifi', 7)).toEqual(workloadOf('wifi', 7));
  expect(workloadOf('wifi', 7).macs[0]?.offline).not.toEqual(workloadOf('wifi', 8).macs[0]?.offline);
  expect(seconds('churn', 7)).not.toBe(seconds('churn', 8));
});

it('bad items are among the items, and only as many as there should be', () => {
  const [job] = workloadOf('poisoncrash', 3).jobs;
  expect([...(job?.poison.values() ?? [])]).toEqual(['crashes', 'crashes']);
  for (const n of job?.poison.keys() ?? []) expect(job?.costs[n]).toBeGreaterThan(0);
  expect(itemCount(workloadOf('twojobs', 3))).toBe(20_200);
});
