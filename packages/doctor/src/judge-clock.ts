import { type Finding, finding } from './finding.ts';

// Leases use the database's clock only. A wrong clock here makes log times wrong and certificates invalid.
const WARN_SECONDS = 5;
const FAIL_SECONDS = 60;

/** Compares the clocks of the database and of this machine. All times are in milliseconds since 1970. */
export function judgeClock(clock: {
  readonly requestAt: number;
  readonly responseAt: number;
  readonly databaseNow: number;
}): Finding {
  const halfTripMs = (clock.responseAt - clock.requestAt) / 2;
  const offsetMs = clock.requestAt + halfTripMs - clock.databaseNow;
  // The clocks may agree up to half of the duration of the request, so that part does not count.
  const certainSeconds = Math.max(0, Math.abs(offsetMs) - halfTripMs) / 1000;
  const found =
    certainSeconds < 1
      ? `within ${Math.max(1, Math.round(Math.abs(offsetMs) + halfTripMs))} ms of the database's`
      : `${Math.round(certainSeconds)} s ${offsetMs > 0 ? 'ahead of' : 'behind'} the database's`;
  if (certainSeconds < WARN_SECONDS) return finding('clock', 'ok', found);
  return finding(
    'clock',
    certainSeconds < FAIL_SECONDS ? 'warn' : 'fail',
    found,
    'Synchronise the clock of this machine, or of the database (on a Mac: sudo sntp -sS time.apple.com).',
  );
}
