import { PAUSES, type Pauses } from '../worker/pauses.ts';

/** The pauses of a worker, a hundredth as long, for tests with real clocks. */
export const SHORT_PAUSES: Pauses = shortened(100);

function shortened(factor: number): Pauses {
  const { unreachableMs, busyMs, maxBusyMs, maxRateLimitMs, brokenMs, maxBrokenMs } = PAUSES;
  const { withdrawnMs, maxWithdrawnMs, earlyProbeMs, earlyMs } = PAUSES;
  const {
    maxTimeoutMs,
    retryMs,
    maxRetryMs,
    holdMs,
    maxHeldPauseMs,
    rejectionPatienceMs,
    lonePatienceMs,
    patienceMs,
    lookMs,
    lookSoonMs,
    lookAfterFailureMs,
  } = PAUSES;
  return {
    unreachableMs: unreachableMs / factor,
    busyMs: busyMs / factor,
    maxBusyMs: maxBusyMs / factor,
    maxRateLimitMs: maxRateLimitMs / factor,
    brokenMs: brokenMs / factor,
    maxBrokenMs: maxBrokenMs / factor,
    maxTimeoutMs: maxTimeoutMs / factor,
    retryMs: retryMs / factor,
    maxRetryMs: maxRetryMs / factor,
    withdrawnMs: withdrawnMs / factor,
    maxWithdrawnMs: maxWithdrawnMs / factor,
    earlyProbeMs: earlyProbeMs / factor,
    earlyMs: earlyMs / factor,
    holdMs: holdMs / factor,
    maxHeldPauseMs: maxHeldPauseMs / factor,
    rejectionPatienceMs: rejectionPatienceMs / factor,
    lonePatienceMs: lonePatienceMs / factor,
    patienceMs: patienceMs / factor,
    lookMs: lookMs / factor,
    lookSoonMs: lookSoonMs / factor,
    lookAfterFailureMs: lookAfterFailureMs / factor,
  };
}
