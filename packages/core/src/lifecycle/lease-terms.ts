/** How long a granted lease holds, in seconds, for a worker that does not renew it. */
export const LEASE_SECONDS = 600;

/** An error reported at this many charged attempts is final. */
export const MAX_ATTEMPTS = 3;

/** A worker whose last heartbeat is younger than this many seconds is alive. */
export const HEARTBEAT_ALIVE_SECONDS = 60;

/**
 * A task that lost this many leases in a row to the clock, without a report between, fails: it must not
 * circle for ever. Generous, so that lids that close over one task night after night do not reach it.
 */
export const MAX_EXPIRIES = 10;

/** A task that lost this many leases in a row may be what its holders die of: no more of them are risked on copies. */
export const MAX_EXPIRIES_FOR_COPIES = 2;
