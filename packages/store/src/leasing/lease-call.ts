import type { WorkKind, WorkType } from '@macbatch/core';

/** What a worker can run, and what it knows about the model. */
export interface LeaseOffer extends WorkKind {
  readonly jobType: WorkType;
  /** The worker's own rate; null when it does not know it. */
  readonly itemsPerSecond?: number | null;
  /** The worker has the model loaded now. */
  readonly loaded?: boolean;
  /** How long the worker needs to load the model, in seconds; null when it does not know. */
  readonly loadSeconds?: number | null;
}

/** A worker asks for tasks. */
export interface LeaseCall {
  readonly worker: string;
  readonly boot: string;
  /** Most tasks; null leaves the number to the lease size in seconds of work. */
  readonly limit: number | null;
  /** Number of items that the worker runs concurrently. With it, the lease is sized in seconds of work. */
  readonly slots?: number | null;
  readonly offers: readonly LeaseOffer[];
  readonly leaseMs: number;
  /**
   * The same call found nothing a moment ago, and no notification of work has arrived since: cached readings are
   * good enough.
   */
  readonly repeated?: boolean;
  /** The worker accepts copies when nothing is pending. */
  readonly acceptsCopies?: boolean;
}
