/** The four states of a task. */
export const TASK_STATUSES = ['pending', 'leased', 'done', 'failed'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** What burns a task's attempts: every lease (the base rule), or only reported errors. */
export const RETRY_POLICIES = ['attempts', 'errors'] as const;
export type RetryOn = (typeof RETRY_POLICIES)[number];

/** One shard of a job, as far as the lifecycle is concerned. */
export interface Task {
  readonly status: TaskStatus;
  /** Leases granted so far. Only grows: it numbers the current lease and fences off older ones. */
  readonly attempts: number;
  /** Errors reported since a person last sent the task back. */
  readonly errors: number;
  /** Leases in a row that were lost to the clock, with no report between. */
  readonly expiries: number;
  /** Leases handed back unused; they never count against the task. */
  readonly returns: number;
  /** Charged attempts that a person forgave when sending the task back. */
  readonly retryBase: number;
  readonly retryOn: RetryOn;
  readonly itemCount: number;
  /** Items that have a recorded outcome, good or bad. */
  readonly outcomeCount: number;
  /** The holder while leased, the finisher once done, else null. */
  readonly assignedWorker: string | null;
  /** Milliseconds since the epoch, by the database's clock; null unless leased. */
  readonly leaseUntil: number | null;
  /** JSON text of the last error reported for the task as a whole. */
  readonly error: string | null;
  /** The job was cancelled: nothing is granted and nothing more is recorded. */
  readonly cancelled: boolean;
}

/** A task as it is when its job has just been submitted. */
export function newTask(itemCount: number, retryOn: RetryOn): Task {
  return {
    status: 'pending',
    attempts: 0,
    errors: 0,
    expiries: 0,
    returns: 0,
    retryBase: 0,
    retryOn,
    itemCount,
    outcomeCount: 0,
    assignedWorker: null,
    leaseUntil: null,
    error: null,
    cancelled: false,
  };
}
