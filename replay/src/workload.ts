import type { MacTrace } from './trace.ts';

/**
 * The fault of a bad item. `errors`: its run fails after 0.3 of its work. `crashes`: it crashes the process of the model
 * after half of its work.
 */
export type Poison = 'errors' | 'crashes';

export interface ReplayJob {
  /** When the job is submitted, in seconds after the first job. */
  readonly at: number;
  /** Work of each item in seconds of a busy Mac of speed 1. */
  readonly costs: Float64Array;
  readonly poison: ReadonlyMap<number, Poison>;
  readonly model: string;
}

/** The Macs and jobs of a scenario. They are the same for both sets of rules. */
export interface Workload {
  readonly macs: readonly MacTrace[];
  readonly jobs: readonly ReplayJob[];
  /** Seconds to load another model. 0 if the scenario has no loads. */
  readonly loadSeconds: number;
}

/** The payload of an item: its job and its number. */
export interface ItemName {
  readonly job: number;
  readonly n: number;
}

/** Makes the payload of an item. */
export function payloadOf({ job, n }: ItemName): string {
  return JSON.stringify({ job, n });
}

/** Parses a payload of `payloadOf`. Throws if it is another payload. */
export function itemNamed(payload: unknown): ItemName {
  const [job, n]: readonly unknown[] =
    typeof payload === 'object' && payload !== null
      ? [Reflect.get(payload, 'job'), Reflect.get(payload, 'n')]
      : [];
  if (typeof job !== 'number' || typeof n !== 'number') throw new TypeError('the payload is not of a replay');
  return { job, n };
}

/** Counts the items of all jobs. */
export function itemCount({ jobs }: Workload): number {
  return jobs.reduce((total, { costs }) => total + costs.length, 0);
}

/** Sums the work of the items that can succeed. */
export function goodWork({ jobs }: Workload): number {
  let work = 0;
  for (const { costs, poison } of jobs) {
    for (const [n, cost] of costs.entries()) if (!poison.has(n)) work += cost;
  }
  return work;
}

/** Returns the id of the worker on the n-th Mac. */
export function workerIdOf(n: number): string {
  return `mac-${n}`;
}
