/**
 * What can happen to a task. `now` is the database's clock in milliseconds since the epoch; it arrives
 * as a value because core has no clock.
 */
export type TaskEvent =
  | { readonly type: 'lease'; readonly worker: string; readonly leaseMs: number; readonly now: number }
  | {
      readonly type: 'renew';
      readonly worker: string;
      readonly boot: string;
      readonly attempt: number;
      readonly leaseMs: number;
      readonly now: number;
    }
  /** Outcomes arrived; `recorded` counts those that were the first for their item. */
  | { readonly type: 'report'; readonly worker: string; readonly attempt: number; readonly recorded: number }
  /** A report contains an error of an item. The task does not change: `report` counts the errors that are recorded. */
  | { readonly type: 'item_error'; readonly worker: string; readonly attempt: number }
  /** The worker reports an error of the whole task; `error` is JSON text. */
  | { readonly type: 'fail'; readonly worker: string; readonly attempt: number; readonly error: string }
  /** The worker hands the task back unfinished; no attempt is charged. */
  | { readonly type: 'release'; readonly worker: string; readonly attempt: number }
  /** A reclaim looks at the task; `boot` is the boot that was granted the current lease. */
  | { readonly type: 'expire'; readonly boot: string; readonly now: number }
  /** An idle worker gets a copy of items that another worker holds. The task itself does not change. */
  | { readonly type: 'copy'; readonly worker: string }
  /** The lease of a copy has passed. */
  | { readonly type: 'lose_copy' }
  /** A person retries the task; `reopened` counts the item errors that the retry withdraws. */
  | { readonly type: 'retry'; readonly reopened: number }
  /** A person cancels the job. */
  | { readonly type: 'cancel' };

export type TaskEventType = TaskEvent['type'];

/** Why an event changed nothing. */
export const REFUSALS = [
  'job_cancelled',
  'already_done',
  'not_pending',
  'not_leased',
  'lease_lost',
  'not_due',
  'nothing_to_retry',
  'still_leased',
] as const;
export type Refusal = (typeof REFUSALS)[number];
