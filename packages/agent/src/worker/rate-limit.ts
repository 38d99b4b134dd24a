/** Factor on the measured start interval, because a request that is slightly too early is refused. */
const MARGIN = 1.02;
/** After this many answers without a refusal, the interval shrinks by this factor. */
const ANSWERS_PER_SPEEDUP = 15;
const SPEEDUP = 0.8;
/** Shorter intervals limit nothing. */
const MIN_INTERVAL_MS = 20;

/**
 * The rate that an endpoint allows, as far as its refusals show it: the answers between two refusals, divided by the
 * time from the end of one pause to the end of the next.
 */
export interface RateLimit {
  /** Time between two starts; null while no refusal was seen. */
  readonly intervalMs: number | null;
  /** When the next item may start, in milliseconds. */
  readonly nextAt: number;
  /** Start of the time in which answers are counted, in milliseconds; null before the first start. */
  readonly countedSince: number | null;
  readonly answers: number;
  /** What was counted up to the last refusal. Answers to requests of that time may still come. */
  readonly counted: { readonly ms: number; readonly answers: number } | null;
  /** Answers since the last refusal or speed-up. */
  readonly streak: number;
}

export const NO_LIMIT: RateLimit = {
  intervalMs: null,
  nextAt: 0,
  countedSince: null,
  answers: 0,
  counted: null,
  streak: 0,
};

/** An item starts. */
export function limitStarted(rateLimit: RateLimit, now: number): RateLimit {
  const { intervalMs, nextAt } = rateLimit;
  return {
    ...rateLimit,
    countedSince: rateLimit.countedSince ?? now,
    nextAt: intervalMs === null ? nextAt : Math.max(now, nextAt) + intervalMs,
  };
}

/** An item that had started at `startedAt` was answered. */
export function limitAnswered(rateLimit: RateLimit, startedAt: number): RateLimit {
  const { intervalMs, answers, streak, counted, countedSince } = rateLimit;
  if (counted !== null && countedSince !== null && startedAt < countedSince) {
    const more = { ms: counted.ms, answers: counted.answers + 1 };
    return { ...rateLimit, counted: more, intervalMs: intervalOf(more) };
  }
  if (intervalMs === null) return { ...rateLimit, answers: answers + 1 };
  if (streak + 1 < ANSWERS_PER_SPEEDUP) return { ...rateLimit, answers: answers + 1, streak: streak + 1 };
  const shorter = intervalMs * SPEEDUP;
  return {
    ...rateLimit,
    answers: answers + 1,
    streak: 0,
    intervalMs: shorter < MIN_INTERVAL_MS ? null : shorter,
  };
}

/** Handles a refusal because of a rate limit. The next item may start at `until`. */
export function limitRefused(rateLimit: RateLimit, until: number, now: number): RateLimit {
  const counted = { ms: until - (rateLimit.countedSince ?? now), answers: rateLimit.answers };
  const measuredMs = intervalOf(counted);
  const intervalMs = counted.answers === 0 ? Math.max(rateLimit.intervalMs ?? 0, measuredMs) : measuredMs;
  return { intervalMs, nextAt: until, countedSince: until, answers: 0, counted, streak: 0 };
}

function intervalOf({ ms, answers }: NonNullable<RateLimit['counted']>): number {
  return (ms / Math.max(1, answers)) * MARGIN;
}
