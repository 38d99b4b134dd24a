import { type Finding, finding } from './finding.ts';

/** Leases go by the database's clock alone: a wrong one here makes logs and certificates hard to believe. */
const WARN_S = 5;
const FAIL_S = 60;

/** Compares the database's clock with this machine's, which had these times when it asked and was answered. */
export function judgeClock(clock: {
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly databaseNow: number;
}): Finding {
  const halfTripMs = (clock.answeredAt - clock.askedAt) / 2;
  const offsetMs = clock.askedAt + halfTripMs - clock.databaseNow;
  // As far as the time on the way can't explain it.
  const certain = Math.max(0, Math.abs(offsetMs) - halfTripMs) / 1000;
  const found =
    certain < 1
      ? `within ${Math.max(1, Math.round(Math.abs(offsetMs) + halfTripMs))} ms of the database's`
      : `${Math.round(certain)} s ${offsetMs > 0 ? 'ahead of' : 'behind'} the database's`;
  if (certain < WARN_S) return finding('clock', 'ok', found);
  return finding(
    'clock',
    certain < FAIL_S ? 'warn' : 'fail',
    found,
    'Set the time of this machine, or of the database, automatically (on a Mac: sudo sntp -sS time.apple.com).',
  );
}
