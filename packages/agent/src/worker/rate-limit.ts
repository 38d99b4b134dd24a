/** Factor on the measured start interval, because a request that is slightly too early is refused. */
const MARGIN = 1.02;
/** After this many answers without a refusal, the interval shrinks by this factor. */
const ANSWERS_PER_SPEEDUP = 15;
const SPEEDUP = 0.8;
/** The same after each answer, while the interval is a guess. */
const GUESS_SPEEDUP = 0.5;
/** Shorter intervals limit nothing. */
const MIN_INTERVAL_MS = 20;

/**
 * The rate that an endpoint allows, as far as its refusals show it: the answers between two refusals, divided by the
 * time from the end of one pause to the end of the next.
 */
export interface RateLimit {
  /** Time between two starts; null while no refusal was seen. */
  readonly intervalMs: number | null;
  /** The server had answered nothing between the last refusals: it may have refused for another reason. */
  readonly isGuess: boolean;
  /** When the next item may start, in milliseconds. */
  readonly nextAt: number;
  /** Start of the time in which answers are counted, in milliseconds; null before the first start. */
  readonly countedSince: number | null;
  readonly answers: number;
  /** What was counted up to the last refusal. Answers to requests of that time may still come. */
  readonly counted: { readonly ms: number; readonly answers: number } | null;
  /** Answers since the last refusal or speed-up. */
  readonly streak: number;
  /** Since when nothing runs on the endpoint, in milliseconds; null while something runs. */
  readonly idleSince: number | null;
}

export const NO_LIMIT: RateLimit = {
  intervalMs: null,
  isGuess: false,
  nextAt: 0,
  countedSince: null,
  answers: 0,
  counted: null,
  streak: 0,
  idleSince: null,
};

/** An item starts. Time in which the endpoint had nothing to do does not count: it says nothing about the limit. */
export function limitStarted(rateLimit: RateLimit, now: number): RateLimit {
  const { intervalMs, nextAt, countedSince, idleSince } = rateLimit;
  const idleMs = idleSince === null ? 0 : Math.max(0, now - Math.max(idleSince, nextAt));
  return {
    ...rateLimit,
    countedSince: countedSince === null ? now : countedSince + idleMs,
    nextAt: intervalMs === null ? nextAt : Math.max(now, nextAt) + intervalMs,
    idleSince: null,
  };
}

/** An item ended, in any way, and nothing else runs on the endpoint. */
export function limitIdle(rateLimit: RateLimit, now: number): RateLimit {
  return { ...rateLimit, idleSince: now };
}

/** An item that had started at `startedAt` was answered. */
export function limitAnswered(rateLimit: RateLimit, startedAt: number): RateLimit {
  const { intervalMs, answers, streak, counted, countedSince } = rateLimit;
  if (counted !== null && countedSince !== null && startedAt < countedSince) {
    const more = { ms: counted.ms, answers: counted.answers + 1 };
    return {
      ...rateLimit,
      counted: more,
      intervalMs: intervalMs === null ? null : Math.min(intervalMs, intervalOf(more)),
    };
  }
  if (intervalMs === null) return { ...rateLimit, answers: answers + 1 };
  const { isGuess } = rateLimit;
  if (!isGuess && streak + 1 < ANSWERS_PER_SPEEDUP)
    return { ...rateLimit, answers: answers + 1, streak: streak + 1 };
  const shorter = intervalMs * (isGuess ? GUESS_SPEEDUP : SPEEDUP);
  return {
    ...rateLimit,
    answers: answers + 1,
    streak: 0,
    intervalMs: shorter < MIN_INTERVAL_MS ? null : shorter,
    nextAt: isGuess ? Math.min(rateLimit.nextAt, startedAt + shorter) : rateLimit.nextAt,
  };
}

/**
 * Handles a refusal because of a rate limit. The next item may start at `until`. The interval becomes at most
 * `maxIntervalMs` long, because items that were slow for another reason make the measured one too long.
 */
export function limitRefused(
  rateLimit: RateLimit,
  until: number,
  now: number,
  maxIntervalMs: number,
): RateLimit {
  const counted = { ms: until - (rateLimit.countedSince ?? now), answers: rateLimit.answers };
  const measuredMs = intervalOf(counted);
  const longestMs = counted.answers === 0 ? Math.max(rateLimit.intervalMs ?? 0, measuredMs) : measuredMs;
  const intervalMs = Math.min(longestMs, maxIntervalMs);
  // One request may only have been too early.
  const isKnown = rateLimit.intervalMs !== null && !rateLimit.isGuess && rateLimit.counted?.answers !== 0;
  const isGuess = counted.answers === 0 && !isKnown;
  return {
    ...rateLimit,
    intervalMs,
    isGuess,
    nextAt: until,
    countedSince: until,
    answers: 0,
    counted,
    streak: 0,
  };
}

function intervalOf({ ms, answers }: NonNullable<RateLimit['counted']>): number {
  return (ms / Math.max(1, answers)) * MARGIN;
}
