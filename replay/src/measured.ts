import type { EstimateError } from './estimates.ts';
import type { ScenarioName } from './scenarios.ts';

export type Rules = 'product' | 'base';

/** Options of the process that simulates all Macs of a run. */
export interface PoolTask {
  readonly scenario: ScenarioName;
  readonly rules: Rules;
  readonly seed: number;
  readonly controlUrl: string;
  readonly databaseUrl: string;
  /** The folder of the Macs' disks. */
  readonly stateDir: string;
  readonly factor: number;
  /** The run is cut off when its makespan reaches this multiple of the ideal. */
  readonly most: number;
}

/** The results of a run. Times are in seconds of the fast clock. Work is in seconds that a Mac with relative rate 1 and full slots would need. */
export interface Measured {
  readonly scenario: ScenarioName;
  readonly rules: Rules;
  readonly seed: number;
  readonly factor: number;
  readonly ideal: number;
  /** From the first submission to the end of the last job, or to the cut-off. */
  readonly makespan: number;
  readonly cutOff: boolean;
  readonly items: number;
  /** Good items without an output. */
  readonly goodItemsFailed: number;
  /** The share of the work of good items that ended with an output. */
  readonly share: number;
  readonly executed: number;
  readonly accepted: number;
  /** Requests of workers by kind. */
  readonly requests: Readonly<Record<string, number>>;
  readonly leasesGranted: number;
  readonly leasesExpired: number;
  readonly jobs: readonly { readonly seconds: number; readonly alone: number }[];
  /** Every model load: worker, model and time. */
  readonly loads: readonly { readonly worker: string; readonly model: string; readonly at: number }[];
  readonly crashes: number;
  /** The number of runs of each bad item. */
  readonly badItemRuns: readonly number[];
  /** From the death of a Mac until its last lease expired. Null if no Mac died with a lease. */
  readonly noticedAfter: number | null;
  /** The share of awake slot time that was idle. */
  readonly idle: number;
  /** The error of the first job's estimates. Undefined in older runs and in runs with the base rules. */
  readonly estimateError?: EstimateError | null;
  readonly lateness: Spread;
  readonly roundTrip: Spread;
  /** How often workers logged each event. Empty with the base rules. */
  readonly logged: Readonly<Record<string, number>>;
}

export interface Spread {
  readonly median: number;
  readonly p99: number;
}

/** Computes the median and the 99th percentile. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = Float64Array.from(values).sort();
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  return { median: at(0.5), p99: at(0.99) };
}

/** Divides the makespan by the ideal for the work that was really done, so that lost items do not look like speed. */
export function ratioOf({ makespan, ideal, share }: Measured): number {
  return makespan / (ideal * Math.min(1, share));
}

/** Returns the requests of workers per item. */
export function requestsPerItem({ requests, items }: Measured): number {
  return Object.values(requests).reduce((total, count) => total + count, 0) / items;
}

/** Returns the wasted work in percent of the accepted work. */
export function wasteOf({ executed, accepted }: Measured): number {
  return accepted === 0 ? 0 : (100 * (executed - accepted)) / accepted;
}

export type PoolMessage =
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'measured'; readonly measured: Measured };
