import { HEARTBEAT_ALIVE_SECONDS } from '../lifecycle/lease-terms.ts';

/**
 * Whether a worker is alive. Only for reporting: it never expires a lease. Times are
 * milliseconds since the epoch by the database's clock.
 */
export function isAlive(
  worker: { readonly lastHeartbeatAt: number; readonly offline: boolean },
  now: number,
): boolean {
  return !worker.offline && now - worker.lastHeartbeatAt < HEARTBEAT_ALIVE_SECONDS * 1000;
}

/** A worker that has been silent for this many seconds has missed heartbeats: its items may be copied. */
export const SILENT_SECONDS = HEARTBEAT_ALIVE_SECONDS * 0.85;

/** A worker that has been silent for this many seconds may be falling asleep: estimates expect less of it. */
export const MAY_LEAVE_SECONDS = HEARTBEAT_ALIVE_SECONDS / 2;
