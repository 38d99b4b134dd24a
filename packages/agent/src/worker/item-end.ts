import type { ItemError, Outcome } from '@macbatch/contract';

/** How far a `not_here` failure reaches among the offers of the runtime that failed. */
export type WithdrawalReach = 'offer' | 'model' | 'runtime';

/** What a runtime wants withdrawn after a `not_here` failure, in addition to the usual pause of the failed offer. */
export interface RuntimeWithdrawal {
  readonly reach: WithdrawalReach;
  /** `probe`: until a probe succeeds. `restart`: for the life of this process. */
  readonly until: 'probe' | 'restart';
}

/** A run that failed for a reason that may be the item's, the server's, or the load's. */
export interface FailedEnd {
  readonly kind: 'failed';
  readonly failure: 'rejected' | 'wait' | 'overload' | 'interrupted' | 'timeout' | 'transient';
  readonly error: ItemError;
  /** How long the server asked for no requests. */
  readonly retryAfterMs: number | null;
  /** Parts of the answer had arrived. */
  readonly bytesArrived: boolean;
  /** In [0, 1): spreads the next tries of several items and workers. */
  readonly jitter: number;
}

/** This Mac cannot run the item now. */
export interface NotHereEnd {
  readonly kind: 'not_here';
  readonly error: ItemError;
  readonly withdraws?: RuntimeWithdrawal;
  /** The item may be to blame: the server's reply may quote the item, or judge what it contains. */
  readonly mayBeOfItem?: boolean;
}

/** How the run of one item ended. */
export type ItemEnd =
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | FailedEnd
  | NotHereEnd
  /** The runtime's process died while the item ran. */
  | { readonly kind: 'crashed'; readonly error: ItemError }
  | { readonly kind: 'aborted' };
