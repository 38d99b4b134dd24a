/** Seconds that a lease lasts if its worker does not renew it. */
export const LEASE_SECONDS = 600;

/** Seconds that a lease lasts if its worker renews it, unless the operator sets another length. */
export const RENEWED_LEASE_SECONDS = 90;

/** A task fails with an error at this many charged attempts. */
export const MAX_ATTEMPTS = 3;

/** A worker whose last heartbeat is younger than this many seconds is alive. */
export const HEARTBEAT_ALIVE_SECONDS = 60;

/**
 * A task fails after this many expiries in a row without an accepted report, so that it does not run
 * forever. High enough that a laptop closed every night does not reach it.
 */
export const MAX_EXPIRIES = 10;

/** Items of a task with this many expiries in a row may crash workers, so they are not copied to other workers. */
export const MAX_EXPIRIES_FOR_COPIES = 2;
