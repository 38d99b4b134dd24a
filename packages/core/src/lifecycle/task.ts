/** The four states of a task. */
export const TASK_STATUSES = ['pending', 'leased', 'done', 'failed'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** What counts towards a task's three attempts: every lease (the base rule), or only reported errors. */
export const RETRY_POLICIES = ['attempts', 'errors'] as const;
export type RetryOn = (typeof RETRY_POLICIES)[number];

/** The fields of a task that its lifecycle needs. */
export interface Task {
  readonly status: TaskStatus;
  /** Leases granted so far. Only grows. It numbers the current lease and fences off older ones. */
  readonly attempts: number;
  /** Errors reported since the last retry. */
  readonly errors: number;
  /** Expiries in a row without an accepted report. */
  readonly expiries: number;
  /** Released leases. They never count against the task. */
  readonly returns: number;
  /** Charged attempts that retries have forgiven. */
  readonly retryBase: number;
  readonly retryOn: RetryOn;
  readonly itemCount: number;
  /** Items with a recorded outcome, `ok` or `error`. */
  readonly outcomeCount: number;
  /** The holder of a leased task, the worker that finished a done task, or null in other states. */
  readonly assignedWorker: string | null;
  /** Milliseconds since the epoch, by the database's clock; null unless leased. */
  readonly leaseUntil: number | null;
  /**
   * The holder, boot and attempt of the last expired lease, while a renewal can still resume it (T14). Null while the
   * task is not pending, and after any event that ends this possibility.
   */
  readonly lapsedWorker: string | null;
  readonly lapsedBoot: string | null;
  readonly lapsedAttempt: number | null;
  /** JSON text of the last error of the whole task. */
  readonly error: string | null;
  /** The job is cancelled: no lease is granted and no outcome is recorded. */
  readonly cancelled: boolean;
}

/** A task of a job that has just been submitted. */
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
    lapsedWorker: null,
    lapsedBoot: null,
    lapsedAttempt: null,
    error: null,
    cancelled: false,
  };
}
