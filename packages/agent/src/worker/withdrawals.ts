import type { Offer } from '../runtimes/runtime.ts';
import { PAUSES, type Pauses } from './pauses.ts';

/** An offer that failed here, and when the worker may make it again. All times are in milliseconds. */
export interface Withdrawal {
  readonly offer: Offer;
  /** The runtime that cannot run the offer; null if the worker withdraws the offer for all runtimes. */
  readonly runtime: number | null;
  /** Code of the failure. */
  readonly code: string;
  /** The server's message. */
  readonly message: string;
  /** When the offer failed first, with no success since. */
  readonly since: number;
  /** Doubles with each failure that follows without a success, with probes after the first minute. */
  readonly pauseMs: number;
  /** When the pause ends. */
  readonly until: number;
  /** `pause`: back when the pause ends. `probe`: back when a probe finds it working. `restart`: never back. */
  readonly ends: 'pause' | 'probe' | 'restart';
  /** False while the offer is made again but has not succeeded yet: the next failure pauses it for longer. */
  readonly active: boolean;
}

/** Withdraws an offer. Items that fail together count as one failure. */
export function withdraw(
  withdrawals: readonly Withdrawal[],
  failed: Pick<Withdrawal, 'offer' | 'runtime' | 'code' | 'ends'> & { readonly message?: string },
  now: number,
  pauses: Pauses = PAUSES,
): readonly Withdrawal[] {
  const before = withdrawals.find((each) => isSame(each, failed));
  if (before?.active === true && now < before.until) return withdrawals;
  const since = before?.since ?? now;
  const pauseMs =
    failed.ends === 'probe' && now - since < pauses.earlyMs
      ? pauses.earlyProbeMs
      : nextPauseMs(before, pauses);
  return [
    ...withdrawals.filter((each) => each !== before),
    {
      ...failed,
      message: failed.message ?? before?.message ?? failed.code,
      since,
      pauseMs,
      until: now + pauseMs,
      active: true,
    },
  ];
}

function nextPauseMs(before: Withdrawal | undefined, pauses: Pauses): number {
  return before === undefined ? pauses.withdrawnMs : Math.min(2 * before.pauseMs, pauses.maxWithdrawnMs);
}

/** Whether the worker must not ask for the offer (`runtime` null), or one runtime must not run it. */
export function isWithdrawn(
  withdrawals: readonly Withdrawal[],
  { offer, runtime }: Pick<Withdrawal, 'offer' | 'runtime'>,
  now: number,
): boolean {
  const found = withdrawals.find((each) => isSame(each, { offer, runtime }));
  return found?.active === true && (found.ends !== 'pause' || now < found.until);
}

/** Withdrawals whose pause is over and that only a probe can end. */
export function dueForProbe(withdrawals: readonly Withdrawal[], now: number): readonly Withdrawal[] {
  return withdrawals.filter(({ active, ends, until }) => active && ends === 'probe' && until <= now);
}

/** Makes an offer again after a probe found it working. */
export function restore(
  withdrawals: readonly Withdrawal[],
  back: Pick<Withdrawal, 'offer' | 'runtime'>,
): readonly Withdrawal[] {
  return withdrawals.map((each) => (isSame(each, back) ? { ...each, active: false } : each));
}

/** Forgets the failures of an offer that has succeeded on a runtime. */
export function forgetFailures(
  withdrawals: readonly Withdrawal[],
  offer: Offer,
  runtime: number | null,
): readonly Withdrawal[] {
  return withdrawals.filter(
    (each) => !isSame(each, { offer, runtime: null }) && !isSame(each, { offer, runtime }),
  );
}

function isSame(
  one: Pick<Withdrawal, 'offer' | 'runtime'>,
  other: Pick<Withdrawal, 'offer' | 'runtime'>,
): boolean {
  return one.runtime === other.runtime && isSameOffer(one.offer, other.offer);
}

/** Whether two offers name the same job type and model. */
export function isSameOffer(one: Offer, other: Offer): boolean {
  return one.job_type === other.job_type && one.model === other.model;
}
