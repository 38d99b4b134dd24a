import type { EstimateError } from './estimates.ts';
import type { ScenarioName } from './scenarios.ts';

export type Rules = 'product' | 'base';

/** What one process with all the Macs of a run is to do. */
export interface PoolTask {
  readonly scenario: ScenarioName;
  readonly rules: Rules;
  readonly seed: number;
  readonly controlUrl: string;
  readonly databaseUrl: string;
  /** Disks of the Macs. */
  readonly stateDir: string;
  readonly factor: number;
  /** The run is cut off after so many times the ideal. */
  readonly most: number;
}

/** Times are seconds by the fast clock, work is seconds of a busy Mac of speed 1. */
export interface Measured {
  readonly scenario: ScenarioName;
  readonly rules: Rules;
  readonly seed: number;
  readonly factor: number;
  readonly ideal: number;
  /** From the first submission to the end of the last job; until it was cut off where that is so. */
  readonly makespan: number;
  readonly cutOff: boolean;
  readonly items: number;
  /** Items without an output that could have had one. */
  readonly goodItemsFailed: number;
  /** The part of the good work of which there are outputs. */
  readonly share: number;
  readonly executed: number;
  readonly accepted: number;
  /** By what they asked for. */
  readonly requests: Readonly<Record<string, number>>;
  readonly leasesGranted: number;
  readonly leasesExpired: number;
  readonly jobs: readonly { readonly seconds: number; readonly alone: number }[];
  /** Which Mac loaded which model, and when. */
  readonly loads: readonly { readonly worker: string; readonly model: string; readonly at: number }[];
  readonly crashes: number;
  /** Runs of each bad item. */
  readonly badItemRuns: readonly number[];
  /** From the death of a Mac until the last of its leases was taken back; null where none died with one. */
  readonly noticedAfter: number | null;
  /** Part of the time of awake Macs' slots in which nothing ran in them. */
  readonly idle: number;
  /** Of the end of the first job; not there in runs of before, nor of the base rules. */
  readonly estimateError?: EstimateError | null;
  readonly lateness: Spread;
  readonly roundTrip: Spread;
  /** How often workers logged what; empty for the base rules. */
  readonly logged: Readonly<Record<string, number>>;
}

export interface Spread {
  readonly median: number;
  readonly p99: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = Float64Array.from(values).sort();
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  return { median: at(0.5), p99: at(0.99) };
}

/** Time against the ideal for the good work that was done, so that losing items never looks like speed. */
export function ratioOf({ makespan, ideal, share }: Measured): number {
  return makespan / (ideal * Math.min(1, share));
}

/** Requests that workers sent for each item. */
export function requestsPerItem({ requests, items }: Measured): number {
  return Object.values(requests).reduce((total, count) => total + count, 0) / items;
}

/** Work that came to nothing, in percent of the work that was accepted. */
export function wasteOf({ executed, accepted }: Measured): number {
  return accepted === 0 ? 0 : (100 * (executed - accepted)) / accepted;
}

export type PoolMessage =
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'measured'; readonly measured: Measured };
