import type { ReportedError } from '@macbatch/contract';
import type { Pauses } from './pauses.ts';

/**
 * The circuit breaker of a runtime, or of one of its models, while it is in trouble. No item starts before `until`.
 * Then one item starts. An answer removes the gate. Another failure closes it for longer. All times are in
 * milliseconds on the worker's clock.
 */
export interface Gate {
  /** The server's latest error. */
  readonly error: ReportedError;
  /** When the trouble began. */
  readonly since: number;
  /** When it was closed last. Failures of runs that started earlier do not close it again. */
  readonly closedAt: number;
  readonly until: number;
  /** Closings in a row without an answer between them. */
  readonly closings: number;
}

/** Codes of a server that accepts no request. A request for its list of models shows when it is back. */
const UNREACHABLE: ReadonlySet<string> = new Set(['server_unreachable', 'model_loading']);
/** Codes of a server that works but asks for fewer requests. */
const SLOWED: ReadonlySet<string> = new Set(['rate_limited', 'server_busy']);

/** Code of a server that rejects every item. */
export const REJECTS_ALL = 'rejects_all_items';

/** Part of a pause that is random, so that workers do not all try at the same moment. */
const JITTER = 0.5;
/** Random part of a pause that the server asked for. It only makes the pause longer. */
const REQUESTED_JITTER = 0.05;

/** Shortest pause, as a part of the first pause for a full server: some servers ask for 0 seconds. */
const SHORTEST_PAUSE = 0.25;

/** Why a gate closes. */
export interface Closing {
  readonly error: ReportedError;
  /** When the run that failed had started. */
  readonly startedAt: number;
  readonly retryAfterMs: number | null;
  /** The server has answered others: it is likely to work again soon. */
  readonly hasAnswered?: boolean;
  /** A random number in [0, 1). The caller draws it, because a step is pure. */
  readonly jitter: number;
}

/** Closes a gate, or keeps it closed for longer. Failures of runs that started together count once. */
export function closeGate(gate: Gate | null, closing: Closing, pauses: Pauses, now: number): Gate {
  const { error, startedAt, jitter, retryAfterMs } = closing;
  const isNews = gate === null || startedAt > gate.closedAt;
  const closings = (gate?.closings ?? 0) + (isNews ? 1 : 0);
  const doublings = closing.hasAnswered === true && error.code === 'timeout' ? 0 : closings - 1;
  const ownMs = pauseMs(error.code, doublings, now - startedAt, pauses) * (1 + JITTER * (jitter - 0.5));
  const requestedMs = (retryAfterMs ?? 0) * (1 + REQUESTED_JITTER * jitter);
  const pause = retryAfterMs === null ? ownMs : Math.max(requestedMs, pauses.busyMs * SHORTEST_PAUSE);
  if (!isNews) {
    // The server may have asked a later request for a longer pause.
    return retryAfterMs === null ? gate : { ...gate, until: Math.max(gate.until, now + pause) };
  }
  return { error, since: gate?.since ?? now, closedAt: now, until: now + pause, closings };
}

function pauseMs(code: string, doublings: number, tookMs: number, pauses: Pauses): number {
  const doubled = (first: number, max: number) => Math.min(first * 2 ** doublings, max);
  if (UNREACHABLE.has(code)) return pauses.unreachableMs;
  if (code === 'server_busy') return doubled(pauses.busyMs, pauses.maxBusyMs);
  if (code === REJECTS_ALL) return doubled(pauses.brokenMs, pauses.maxBusyMs);
  if (code === 'rate_limited') return doubled(pauses.busyMs, pauses.maxRateLimitMs);
  // A server that continues the request after the client has disconnected is busy for about as long again.
  if (code === 'timeout') return doubled(Math.max(tookMs, pauses.brokenMs), pauses.maxTimeoutMs);
  return doubled(pauses.brokenMs, pauses.maxBrokenMs);
}

/**
 * Removes the gate if the answered run started after the pause. An answer to an earlier run does not show that the
 * server works now.
 */
export function openedBy(gate: Gate | null, startedAt: number): Gate | null {
  return gate !== null && startedAt >= gate.until ? null : gate;
}

/** Whether no item may start now. */
export function isShut(gate: Gate | null, now: number): boolean {
  return gate !== null && now < gate.until;
}

/** Whether the server is down, and not only slowed. Its offers are then not advertised. */
export function isDown(gate: Gate | null): boolean {
  return gate !== null && !SLOWED.has(gate.error.code);
}

/** Whether a request for the server's list of models can show that the trouble is over. */
export function isUnreachable(gate: Gate | null): gate is Gate {
  return gate !== null && UNREACHABLE.has(gate.error.code);
}

/** Whether the trouble takes so long that other workers should have the tasks that wait for it. */
export function isLasting(gate: Gate | null, pauses: Pauses, now: number): boolean {
  if (!isShut(gate, now) || gate === null) return false;
  if (isDown(gate)) return now - gate.since >= pauses.holdMs;
  return gate.until - now > pauses.maxHeldPauseMs;
}
