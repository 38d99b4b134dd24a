import type { JobOrder, WaitingJob } from '../scheduling/job-order.ts';
import type { WorkerOffers, WorkKind } from '../scheduling/work-kind.ts';

/** What a worker holds of one job. */
export interface HeldWork extends WorkKind {
  readonly jobId: string;
  readonly tasks: number;
  /** Items of these tasks that have no outcome yet. */
  readonly items: number;
  /** Since the oldest of these leases was granted. */
  readonly oldestSeconds: number;
  /** Until the last of them ends, unless it is renewed; 0 where it has ended. */
  readonly secondsLeft: number;
}

/** A worker as the pool knows it at one moment. */
export interface PoolWorker extends WorkerOffers {
  readonly id: string;
  readonly alive: boolean;
  /** It has said goodbye. */
  readonly offline: boolean;
  /** It has lost leases to the clock lately, or has been silent for a while: a Mac that may sleep. */
  readonly mayLeave: boolean;
  /** Items that it runs at once. */
  readonly slots: number;
  /** How fast it is, as it tells, at the kinds of work that it has done. */
  readonly paces: readonly (WorkKind & { readonly itemsPerSecond: number; readonly loaded: boolean })[];
  readonly held: readonly HeldWork[];
  /** What it runs copies of, which others hold. */
  readonly copies: readonly HeldWork[];
}

/** A job that has work left, whether or not somebody holds it. */
export interface OpenJob extends WaitingJob, WorkKind {
  readonly shardSize: number;
  readonly pendingTasks: number;
  /** Items that are still to be run, by whoever holds them or will: fewer than are left where some repeat others. */
  readonly itemsToRun: number;
}

/** The pool at one moment. */
export interface PoolState {
  readonly workers: readonly PoolWorker[];
  /** In the order in which they are served: see `orderJobs`. */
  readonly jobs: readonly OpenJob[];
  readonly order: JobOrder;
  /** By the database's clock, in milliseconds. */
  readonly now: number;
  /** Workers with nothing to do are given copies of what others hold. */
  readonly givesCopies: boolean;
}
