/** Most jobs that one claim statement looks at. */
export const MAX_JOBS_PER_CLAIM = 200;
/** Jobs that a claim tries one by one, each with a lease size of its own. The jobs after them are claimed together. */
export const JOBS_SIZED_ONE_BY_ONE = 8;
/** Tasks for a lease call that names neither a limit nor its slots. */
export const DEFAULT_LEASE_LIMIT = 4;
/** Most tasks that a worker may hold: as many as one heartbeat can renew. */
export const MAX_TASKS_HELD = 10_000;
/** Most tasks that one answer repeats to a worker that has lost an earlier answer. */
export const MAX_UNACKNOWLEDGED_TASKS = 1000;

/** Cache lifetime of the job queue, of holders and of workers' records, in milliseconds. */
export const SCHEDULING_CACHE_MS = 1000;

/** Holders that one lease call tries to copy from. All items of a holder may have copies already. */
export const HOLDERS_TRIED_FOR_COPIES = 4;
/** Most tasks that one lease call copies items of. */
export const MAX_TASKS_COPIED = 100;
/**
 * How long the holder keeps an item to itself after it failed on a copy, or when the holder runs it as a suspect,
 * in seconds. Copies are allowed again after this, because the holder may never finish.
 */
export const EXCLUDED_FROM_COPIES_SECONDS = 3600;

/** A worker's history in a job is read again when it has this many errors more than the last reading saw. */
export const ERRORS_UNTIL_REVIEW = 8;
/** A worker that is silent for longer is not just asleep: its history is no evidence about a job. */
export const MAX_SLEEP_SECONDS = 12 * 3600;
/** Time that a worker on probation waits for evidence of another worker, without or with a lease on the job. */
export const EVIDENCE_WAIT_SECONDS = { unleased: 300, leased: 3600 };
/** How long a task that failed on a worker is left to other workers, by the worker's lease budget. */
export const LEFT_TO_OTHERS_SECONDS = { all: 60, one: 3600, none: 3600 };
/**
 * How long a task is left to other workers after the model server of a worker has rejected it, in seconds. Another
 * worker counts for as long when its own server has a trouble.
 */
export const REJECTED_LEFT_TO_OTHERS_SECONDS = 600;
