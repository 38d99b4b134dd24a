import type { MacTrace } from './trace.ts';

/**
 * What is wrong with an item. `errors`: its run fails, after 0.3 of its work. `crashes`: it takes the model's
 * process along, after half of it.
 */
export type Poison = 'errors' | 'crashes';

export interface ReplayJob {
  /** When it is submitted, in seconds after the first one. */
  readonly at: number;
  /** Work of each item, in seconds of a busy Mac of speed 1. */
  readonly costs: Float64Array;
  readonly poison: ReadonlyMap<number, Poison>;
  readonly model: string;
}

/** Everything that is the same for both sets of rules. */
export interface Workload {
  readonly macs: readonly MacTrace[];
  readonly jobs: readonly ReplayJob[];
  /** What loading another model takes; 0 where that is not part of the scenario. */
  readonly loadSeconds: number;
}

/** What names an item in its payload. */
export interface ItemName {
  readonly job: number;
  readonly n: number;
}

export function payloadOf({ job, n }: ItemName): string {
  return JSON.stringify({ job, n });
}

/** Reads what `payloadOf` has written. Throws where somebody else did. */
export function itemNamed(payload: unknown): ItemName {
  const [job, n]: readonly unknown[] =
    typeof payload === 'object' && payload !== null
      ? [Reflect.get(payload, 'job'), Reflect.get(payload, 'n')]
      : [];
  if (typeof job !== 'number' || typeof n !== 'number') throw new TypeError('not an item of a replay');
  return { job, n };
}

export function itemCount({ jobs }: Workload): number {
  return jobs.reduce((total, { costs }) => total + costs.length, 0);
}

/** The work of the items that can succeed. */
export function goodWork({ jobs }: Workload): number {
  let work = 0;
  for (const { costs, poison } of jobs) {
    for (const [n, cost] of costs.entries()) if (!poison.has(n)) work += cost;
  }
  return work;
}

/** The worker on the n-th Mac. */
export function workerIdOf(n: number): string {
  return `mac-${n}`;
}
