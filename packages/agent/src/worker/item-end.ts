import type { Outcome, ReportedError } from '@macbatch/contract';

/** How far a `not_here` failure reaches among the offers of the runtime that failed. */
export type WithdrawalReach = 'offer' | 'model' | 'runtime';

/** What a runtime wants withdrawn after a `not_here` failure, beside the usual pause of the failed offer. */
export interface RuntimeWithdrawal {
  readonly reach: WithdrawalReach;
  /** `probe`: until a probe succeeds. `restart`: for the life of this process. */
  readonly until: 'probe' | 'restart';
}

/** How the run of one item ended. */
export type ItemEnd =
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  /** All tries here failed. It becomes the task's error, as another worker may succeed. */
  | { readonly kind: 'failed'; readonly error: ReportedError }
  /** This Mac cannot run it now; the item is not to blame. */
  | { readonly kind: 'not_here'; readonly error: ReportedError; readonly withdraws?: RuntimeWithdrawal }
  /** The runtime's process died while the item ran. */
  | { readonly kind: 'crashed'; readonly error: ReportedError }
  | { readonly kind: 'aborted' };
