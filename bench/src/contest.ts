import { median, medianRatio } from './median.ts';
import type { Bench } from './row.ts';

export interface Sample {
  /** The compared value: a rate or a time. */
  readonly rate: number;
  /** CPU seconds of this process and Postgres per 100,000 operations. Null if they are unknown. */
  readonly cpu: number | null;
}

export interface Standing {
  value(name: string): number;
  ratio(name: string, to: string): number;
  cpu(name: string): number | null;
  cpuRatio(name: string, to: string): number | null;
}

/** Runs each contestant once per round, in turn, so that other load on the machine affects all of them alike. */
export async function contest(
  bench: Bench,
  contestants: Readonly<Record<string, () => Promise<Sample>>>,
): Promise<Standing> {
  const samples = new Map<string, Sample[]>(Object.keys(contestants).map((name) => [name, []]));
  for (let round = 1; round <= bench.rounds; round += 1) {
    for (const [name, run] of Object.entries(contestants)) {
      const sample = await run();
      samples.get(name)?.push(sample);
      bench.progress(`round ${round} of ${bench.rounds}: ${name}: ${Math.round(sample.rate)}/s`);
    }
  }
  const rates = (name: string) => (samples.get(name) ?? []).map(({ rate }) => rate);
  const cpus = (name: string) => (samples.get(name) ?? []).map(({ cpu }) => cpu ?? Number.NaN);
  return {
    value: (name) => median(rates(name)),
    ratio: (name, to) => medianRatio(rates(name), rates(to)),
    cpu: (name) => known(median(cpus(name))),
    cpuRatio: (name, to) => known(medianRatio(cpus(name), cpus(to))),
  };
}

/** Runs `work`, which does `count` operations and returns its rate. Adds the CPU seconds per 100,000 operations. */
export async function withCpu(bench: Bench, count: number, work: () => Promise<number>): Promise<Sample> {
  const before = await bench.server.cpuSeconds();
  const own = process.cpuUsage();
  const rate = await work();
  const { user, system } = process.cpuUsage(own);
  const after = await bench.server.cpuSeconds();
  const postgres = before === null || after === null ? null : after - before;
  return { rate, cpu: postgres === null ? null : ((postgres + (user + system) / 1e6) / count) * 100_000 };
}

const known = (value: number): number | null => (Number.isNaN(value) ? null : value);
