import type { WorkerTrouble, WorkKind, WorkType } from '@macbatch/core';

/** A worker's rate for one work kind, as the worker reports it. */
export interface ReportedRate extends WorkKind {
  readonly itemsPerSecond: number;
  /** The worker has the model loaded. */
  readonly loaded?: boolean | undefined;
}

/** What a worker says about itself with each heartbeat. */
export interface WorkerAdvert {
  readonly worker: string;
  readonly boot: string;
  readonly hostname: string;
  readonly jobTypes: readonly WorkType[];
  readonly models: readonly string[];
  readonly concurrency: number;
  readonly leaseLimit: number;
  readonly rates?: readonly ReportedRate[];
  readonly troubles?: readonly WorkerTrouble[];
  /** Why it pauses itself. Without one it does not. */
  readonly ownPause?: { readonly rule: string; readonly reason: string; readonly forMs: number };
  readonly offline: boolean;
}

/** A rate in the JSON of `workers.rates`. Statements read these names. */
interface StoredRate {
  readonly job_type: string;
  readonly model: string;
  readonly items_per_second: number;
  readonly loaded?: boolean | undefined;
}

/** Writes rates as the JSON text of `workers.rates`. */
export function ratesToJson(rates: readonly ReportedRate[]): string {
  const stored: StoredRate[] = rates.map(({ jobType, model, itemsPerSecond, loaded }) => ({
    job_type: jobType,
    model,
    items_per_second: itemsPerSecond,
    loaded,
  }));
  return JSON.stringify(stored);
}

/** Reads the JSON text of `workers.rates`, which `ratesToJson` wrote. */
export function ratesFromJson(json: string): ReportedRate[] {
  return (JSON.parse(json) as StoredRate[]).map(({ job_type, model, items_per_second, loaded }) => ({
    jobType: job_type,
    model,
    itemsPerSecond: items_per_second,
    ...(loaded === undefined ? {} : { loaded }),
  }));
}

/** Writes troubles as the JSON text of `workers.troubles`. */
export function troublesToJson(troubles: readonly WorkerTrouble[]): string {
  return JSON.stringify(troubles);
}

/** Reads troubles that `troublesToJson` wrote when the worker sent its last heartbeat. Counts from now. */
export function troublesFromJson(json: string, heartbeatAgeSeconds: number): WorkerTrouble[] {
  return (JSON.parse(json) as WorkerTrouble[]).map((trouble) => ({
    ...trouble,
    sinceSeconds: trouble.sinceSeconds + heartbeatAgeSeconds,
    nextTrySeconds:
      trouble.nextTrySeconds === null ? null : Math.max(0, trouble.nextTrySeconds - heartbeatAgeSeconds),
  }));
}
