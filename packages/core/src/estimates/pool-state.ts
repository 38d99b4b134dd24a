import type { JobOrder, WaitingJob } from '../scheduling/job-order.ts';
import type { WorkerOffers, WorkKind } from '../scheduling/work-kind.ts';
import type { WorkerTrouble } from '../workers/worker-trouble.ts';

/** What a worker holds of one job. */
export interface HeldWork extends WorkKind {
  readonly jobId: string;
  readonly tasks: number;
  /** Items of these tasks without an outcome. */
  readonly items: number;
  /** Seconds since the oldest of these leases was granted. */
  readonly oldestSeconds: number;
  /** Seconds until the last of these leases expires if it is not renewed; 0 if it has. */
  readonly secondsLeft: number;
}

/** A worker as the control plane knows it at one moment. */
export interface PoolWorker extends WorkerOffers {
  readonly id: string;
  readonly alive: boolean;
  /** It has said goodbye. */
  readonly offline: boolean;
  /** A person keeps it from leasing. It finishes what it holds. */
  readonly paused: boolean;
  /** It may sleep: some of its leases expired recently, or it has been silent for a while. */
  readonly mayLeave: boolean;
  /** Number of items that it runs concurrently. */
  readonly slots: number;
  /** Its reported rates, one per work kind that it has run. */
  readonly rates: readonly (WorkKind & { readonly itemsPerSecond: number; readonly loaded: boolean })[];
  /** What it cannot run now, and why. */
  readonly troubles: readonly WorkerTrouble[];
  readonly held: readonly HeldWork[];
  /** Copies that it runs of what other workers hold. */
  readonly copies: readonly HeldWork[];
}

/** A job with unfinished items, held or not. */
export interface OpenJob extends WaitingJob, WorkKind {
  readonly shardSize: number;
  readonly pendingTasks: number;
  /** Items still to run. Lower than `itemsLeft` if some items repeat others and run only once. */
  readonly itemsToRun: number;
}

/** The pool at one moment. */
export interface PoolState {
  readonly workers: readonly PoolWorker[];
  /** In the order of service; see `orderJobs`. */
  readonly jobs: readonly OpenJob[];
  readonly order: JobOrder;
  /** Milliseconds since the epoch, by the database's clock. */
  readonly now: number;
  /** Idle workers get copies of what others hold. */
  readonly givesCopies: boolean;
}
