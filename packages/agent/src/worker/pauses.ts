/** How long the worker waits when a model server is in trouble. All in milliseconds. */
export interface Pauses {
  /** Between tries to reach a server that does not answer or loads its model. */
  readonly unreachableMs: number;
  /** First and longest pause for a full server, or for a rate limit without a `Retry-After`. Doubles. */
  readonly busyMs: number;
  readonly maxBusyMs: number;
  readonly maxRateLimitMs: number;
  /** First and longest pause after a server failed for several items in a row. Doubles. */
  readonly brokenMs: number;
  readonly maxBrokenMs: number;
  /** Longest pause after a time-out. The pause is as long as the request took, and doubles. */
  readonly maxTimeoutMs: number;
  /** Before a failed item runs again. Times four with each further failure that nothing explains. */
  readonly retryMs: number;
  readonly maxRetryMs: number;
  /** First and longest pause of an offer that cannot run here. Doubles. */
  readonly withdrawnMs: number;
  readonly maxWithdrawnMs: number;
  /** Between probes of a withdrawn offer at first. It is short, because `run` gives up on a wrong key after 30 seconds. */
  readonly earlyProbeMs: number;
  /** The offer is probed at `earlyProbeMs` for this long after its first failure. */
  readonly earlyMs: number;
  /** Held tasks are handed back when a server has been in trouble for this long. */
  readonly holdMs: number;
  /** Held tasks are handed back when a server asks for a longer pause than this. */
  readonly maxHeldPauseMs: number;
  /** A server that rejects every item is believed after this time, if no other worker runs the items. */
  readonly rejectionPatienceMs: number;
  /** An item that keeps failing on a server that answers no item is blamed after this time, if few items fail. */
  readonly lonePatienceMs: number;
  /** The same if several items fail. */
  readonly patienceMs: number;
  /** Between looks for model servers on this machine. */
  readonly lookMs: number;
  /** The same while a server starts or may have ended. One that is missed for that long has ended. */
  readonly lookSoonMs: number;
  /** The same after items have failed. */
  readonly lookAfterFailureMs: number;
}

export const PAUSES: Pauses = {
  unreachableMs: 2000,
  busyMs: 1000,
  maxBusyMs: 8000,
  maxRateLimitMs: 60_000,
  brokenMs: 2000,
  maxBrokenMs: 30_000,
  maxTimeoutMs: 10 * 60_000,
  retryMs: 1000,
  maxRetryMs: 60_000,
  withdrawnMs: 15_000,
  maxWithdrawnMs: 10 * 60_000,
  earlyProbeMs: 5000,
  earlyMs: 60_000,
  holdMs: 15_000,
  maxHeldPauseMs: 60_000,
  rejectionPatienceMs: 30_000,
  lonePatienceMs: 150_000,
  patienceMs: 5 * 60_000,
  lookMs: 60_000,
  lookSoonMs: 10_000,
  lookAfterFailureMs: 2000,
};
