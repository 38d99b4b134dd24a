import type { ReportedError } from '@macbatch/contract';
import type { Pauses } from './pauses.ts';

/**
 * The circuit breaker of a runtime, or of one of its models, while it is in trouble. It lets nothing through until
 * `until`. After that it lets one item through. An answer removes it, another failure closes it for longer.
 */
export interface Gate {
  /** What the server said last. */
  readonly error: ReportedError;
  /** When the trouble began. */
  readonly since: number;
  /** When it was closed last. Failures of runs that started earlier say nothing new. */
  readonly closedAt: number;
  readonly until: number;
  /** Closings in a row without an answer between them. */
  readonly closings: number;
}

/** Codes of a server that takes no request at all. A look at its list of models shows when it is back. */
const UNREACHABLE: ReadonlySet<string> = new Set(['server_unreachable', 'model_loading']);
/** Codes of a server that works and wants fewer requests. */
const SLOWED: ReadonlySet<string> = new Set(['rate_limited', 'server_busy']);

/** Part of a pause that is random, so that workers do not all try at the same moment. */
const JITTER = 0.5;
/** The same for a pause that the server asked for. It may only get longer. */
const REQUESTED_JITTER = 0.05;

/** Shortest pause, as a part of the first pause for a full server: some servers ask for 0 seconds. */
const SHORTEST_PAUSE = 0.25;

/** Why a gate closes. */
export interface Closing {
  readonly error: ReportedError;
  /** When the run that failed had started. */
  readonly startedAt: number;
  readonly retryAfterMs: number | null;
  /** In [0, 1): drawn outside. */
  readonly jitter: number;
}

/** Closes a gate, or keeps it closed for longer. Failures of runs that started together count once. */
export function closeGate(gate: Gate | null, closing: Closing, pauses: Pauses, now: number): Gate {
  const { error, startedAt, jitter, retryAfterMs } = closing;
  const isNews = gate === null || startedAt > gate.closedAt;
  const closings = (gate?.closings ?? 0) + (isNews ? 1 : 0);
  const ownMs = pauseMs(error.code, closings, now - startedAt, pauses) * (1 + JITTER * (jitter - 0.5));
  const requestedMs = (retryAfterMs ?? 0) * (1 + REQUESTED_JITTER * jitter);
  const pause = retryAfterMs === null ? ownMs : Math.max(requestedMs, pauses.busyMs * SHORTEST_PAUSE);
  if (!isNews) {
    // A later request may have been told to wait for longer.
    return retryAfterMs === null ? gate : { ...gate, until: Math.max(gate.until, now + pause) };
  }
  return { error, since: gate?.since ?? now, closedAt: now, until: now + pause, closings };
}

function pauseMs(code: string, closings: number, tookMs: number, pauses: Pauses): number {
  const doubled = (first: number, max: number) => Math.min(first * 2 ** (closings - 1), max);
  if (UNREACHABLE.has(code)) return pauses.unreachableMs;
  if (code === 'server_busy') return doubled(pauses.busyMs, pauses.maxBusyMs);
  if (code === 'rate_limited') return doubled(pauses.busyMs, pauses.maxRateLimitMs);
  // A server that goes on with the request after the client has gone is busy for about as long again.
  if (code === 'timeout') return doubled(Math.max(tookMs, pauses.brokenMs), pauses.maxTimeoutMs);
  return doubled(pauses.brokenMs, pauses.maxBrokenMs);
}

/** Opens the gate if the answered run was the one that it let through. Earlier runs say nothing about now. */
export function openedBy(gate: Gate | null, startedAt: number): Gate | null {
  return gate !== null && startedAt >= gate.until ? null : gate;
}

/** Whether nothing gets through now. */
export function isShut(gate: Gate | null, now: number): boolean {
  return gate !== null && now < gate.until;
}

/** Whether the server is down, and not only slowed. Its offers are then not advertised. */
export function isDown(gate: Gate | null): boolean {
  return gate !== null && !SLOWED.has(gate.error.code);
}

/** Whether a look at the server's list of models can show that the trouble is over. */
export function isUnreachable(gate: Gate | null): gate is Gate {
  return gate !== null && UNREACHABLE.has(gate.error.code);
}

/** Whether the trouble takes so long that other workers should have the tasks that wait for it. */
export function isLasting(gate: Gate | null, pauses: Pauses, now: number): boolean {
  if (!isShut(gate, now) || gate === null) return false;
  if (isDown(gate)) return now - gate.since >= pauses.holdMs;
  return gate.until - now > pauses.maxHeldPauseMs;
}
