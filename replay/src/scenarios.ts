import { Random } from './random.ts';
import { lids, type MacTrace, outages } from './trace.ts';
import type { Poison, ReplayJob, Workload } from './workload.ts';

interface Scenario {
  readonly title: string;
  /**
   * How many times as fast as real ones the clocks are. Less than 30 for short runs, which would take too few real
   * seconds, and for many Macs, which would overload the machine.
   *
   * @default 30
   */
  readonly factor?: number;
  readonly make: (random: Random) => Workload;
}

type Kind = readonly [speed: number, slots: number];

const HETERO: readonly Kind[] = [
  [1, 1],
  [1, 1],
  [2, 2],
  [3, 2],
  [6, 4],
  [10, 8],
];
const MIXED: readonly Kind[] = [
  [1, 1],
  [1, 1],
  [1, 2],
  [2, 2],
  [2, 2],
  [3, 2],
  [6, 4],
  [10, 8],
];
const MEAN_COST = 4;
/** Lower bound of the bounded Pareto distribution with alpha 1.2, upper bound 400 and mean 4. */
const HEAVY_LOW = 0.9498316411671514;
const MINUTE = 60;
const LOAD_SECONDS = 30;

/** The scenarios of the simulator. They draw random numbers in the same order as the simulator. */
const SCENARIOS = {
  homo8: {
    title: '8 minis of speed 1 with 2 slots, 8 000 items',
    make: (random) => work(macs(Array<Kind>(8).fill([1, 2])), [job(random, 8000)]),
  },
  hetero6: {
    title: '6 Macs of speed 1, 1, 2, 3, 6, 10, 20 000 items',
    make: (random) => work(macs(HETERO), [job(random, 20_000)]),
  },
  burst: {
    title: 'the six Macs idle, one job of 300 items',
    factor: 5,
    make: (random) => work(macs(HETERO), [job(random, 300)]),
  },
  churn: {
    title: 'the six, lids up 40 min and down 20 min in the mean, 20 000 items',
    make: (random) => workWithLids(random, HETERO, 40 * MINUTE, 20 * MINUTE),
  },
  flaky: {
    title: 'the six, lids up 10 min and down 5 min in the mean, 20 000 items',
    make: (random) => workWithLids(random, HETERO, 10 * MINUTE, 5 * MINUTE),
  },
  dead: {
    title: 'the six, the Mac of speed 10 dies for ever between 30 % and 100 % of the ideal run, 20 000 items',
    make(random) {
      const jobs = [job(random, 20_000)];
      const diesAt = 3478 * (0.3 + 0.7 * random.next());
      return work(
        macs(HETERO).map((mac) => (mac.speed === 10 ? { ...mac, diesAt } : mac)),
        jobs,
      );
    },
  },
  heavy: {
    title: 'the six, costs with a heavy tail (bounded Pareto, alpha 1.2, mean 4 s, most 400 s), 20 000 items',
    make: (random) =>
      work(macs(HETERO), [
        job(random, 20_000, { cost: () => random.boundedPareto(1.2, HEAVY_LOW, 100 * MEAN_COST) }),
      ]),
  },
  twojobs: {
    title: 'the six, 20 000 items and after 300 s 200 more',
    make: (random) => work(macs(HETERO), [job(random, 20_000), job(random, 200, { at: 300 })]),
  },
  twomodels: {
    title: 'the six, two jobs of 8 000 items for two models, 30 s to load one',
    make: (random) =>
      work(macs(HETERO), [job(random, 8000), job(random, 8000, { at: 60, model: 'second' })], LOAD_SECONDS),
  },
  poisonerr: {
    title: 'the six, 5 000 items; 3 of them always fail',
    factor: 15,
    make: (random) => work(macs(HETERO), [poisoned(random, 5000, 3, 'errors')]),
  },
  poisoncrash: {
    title: 'the six, 5 000 items, 2 of them crash the model process, which restarts in 60 s',
    factor: 15,
    make: (random) => work(macs(HETERO), [poisoned(random, 5000, 2, 'crashes')]),
  },
  wifi: {
    title: 'the six, the network out every 15 min for 45 s in the mean, 20 000 items',
    make(random) {
      const jobs = [job(random, 20_000)];
      return work(
        macs(HETERO).map((mac) => ({ ...mac, offline: outages(random, 15 * MINUTE, 45) })),
        jobs,
      );
    },
  },
  pool40: {
    title: '40 mixed Macs with the lids of churn, 20 000 items',
    factor: 10,
    make: (random) =>
      workWithLids(
        random,
        Array.from({ length: 40 }, (_, n) => MIXED[n % MIXED.length] ?? [1, 1]),
        40 * MINUTE,
        20 * MINUTE,
      ),
  },
  smoke: {
    title:
      'two Macs, 60 items, a lid that closes and an item that always fails: checks that the replay works',
    make(random) {
      const [one, other] = macs([
        [2, 2],
        [4, 4],
      ]);
      if (one === undefined || other === undefined) throw new Error('there are two Macs');
      return work(
        [{ ...one, asleep: [[10, 20]], offline: [[25, 30]] }, other],
        [poisoned(random, 60, 1, 'errors')],
      );
    },
  },
} satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;

export const SCENARIO_NAMES: readonly ScenarioName[] = Object.keys(SCENARIOS).filter(isScenario);

/** Returns whether a scenario has this name. */
export function isScenario(name: string): name is ScenarioName {
  return Object.hasOwn(SCENARIOS, name);
}

/** Returns the description of a scenario. */
export function titleOf(name: ScenarioName): string {
  return SCENARIOS[name].title;
}

/** Returns the default factor of a scenario's clocks. */
export function factorOf(name: ScenarioName): number {
  const { factor = 30 }: Scenario = SCENARIOS[name];
  return factor;
}

/** Creates the workload of a scenario. Equal seeds give equal workloads. */
export function workloadOf(name: ScenarioName, seed: number): Workload {
  return SCENARIOS[name].make(new Random(seed * 7919 + 17));
}

function work(trace: readonly MacTrace[], jobs: readonly ReplayJob[], loadSeconds = 0): Workload {
  return { macs: trace, jobs, loadSeconds };
}

function macs(kinds: readonly Kind[]): MacTrace[] {
  return kinds.map(([speed, slots]) => ({ speed, slots, asleep: [], offline: [], diesAt: null }));
}

function workWithLids(random: Random, kinds: readonly Kind[], up: number, down: number): Workload {
  const jobs = [job(random, 20_000)];
  return work(
    macs(kinds).map((mac) => ({ ...mac, asleep: lids(random, up, down) })),
    jobs,
  );
}

function job(
  random: Random,
  items: number,
  { at = 0, model = 'first', cost = () => random.lognormal(MEAN_COST, 0.5) } = {},
): ReplayJob {
  return { at, model, costs: Float64Array.from({ length: items }, cost), poison: new Map() };
}

function poisoned(random: Random, items: number, bad: number, poison: Poison): ReplayJob {
  const clean = job(random, items);
  const chosen = new Map<number, Poison>();
  while (chosen.size < bad) chosen.set(random.below(items), poison);
  return { ...clean, poison: chosen };
}
