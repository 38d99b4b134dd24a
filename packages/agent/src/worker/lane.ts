import type { ServerSlots } from '../runtimes/runtime.ts';
import { type ConcurrencySearch, NO_SEARCH, searchMeasured } from './concurrency-search.ts';
import { type Gate, openedBy } from './gate.ts';
import { answerAfter, NO_REJECTIONS, type Rejections } from './rejections.ts';

/** After a reduction, growth needs this many times more answers than before, up to the maximum. */
const CAUTION_FACTOR = 2;
const MAX_CAUTION = 16;

/** This many different items that fail without an answer between them mean that the server is in trouble. */
export const BROKEN_AFTER_ITEMS = 3;

/** A request that was given up. Its server may still be working on it. */
interface Abandoned {
  readonly run: number;
  /** When the server should be free again, in milliseconds. An answer to a later request shows it sooner. */
  readonly until: number;
}

/** How many items of one model a runtime runs concurrently, and what it has answered. */
export interface Lane {
  readonly model: string;
  /** The concurrency limit. It grows by fractions. */
  readonly limit: number;
  /** Finds how many items run best; null for a model in this process. */
  readonly search: ConcurrencySearch | null;
  /** How many items its server runs concurrently; null if the server does not say. */
  readonly serverSlots: number | null;
  /** Factor on the number of answers that raise the limit by one; null while each answer raises it by one. */
  readonly caution: number | null;
  /** When the limit was reduced last. Failures of runs that started earlier do not reduce it again. */
  readonly reducedAt: number;
  /** Items with an output. */
  readonly answered: number;
  /** The highest number of a run with an output. A run with a lower number that still runs was overtaken. */
  readonly lastAnswered: number;
  /** Longest time of an item with an output. */
  readonly slowestMs: number;
  /** Different items without an outcome that failed since the last output, at most `BROKEN_AFTER_ITEMS`. */
  readonly failedItems: readonly string[];
  readonly abandoned: readonly Abandoned[];
  /** Number of the last request for one token, which is numbered like a run. */
  readonly lastTest: number;
  /** Items that the server has rejected since its last answer. */
  readonly rejections: Rejections;
  readonly gate: Gate | null;
}

/**
 * A lane whose limit starts at `limit`. With `grows`, each answer raises it until the first sign of load, and a search
 * finds the best number.
 */
export function newLane(model: string, limit: number, grows: boolean): Lane {
  return {
    model,
    limit,
    search: grows ? NO_SEARCH : null,
    serverSlots: null,
    caution: grows ? null : 1,
    reducedAt: Number.NEGATIVE_INFINITY,
    answered: 0,
    lastAnswered: 0,
    slowestMs: 0,
    failedItems: [],
    abandoned: [],
    lastTest: 0,
    rejections: NO_REJECTIONS,
    gate: null,
  };
}

/** How many items of the lane may run concurrently. */
export function laneLimit({ limit, search }: Lane): number {
  return Math.max(1, Math.floor(Math.min(limit, search?.bound ?? limit)));
}

/** A run that ended, as its lane sees it. */
export interface LaneRun {
  readonly number: number;
  readonly startedAt: number;
  /** How much work it was: tokens, or 1 if its server does not count them. */
  readonly units: number;
}

/**
 * Counts an output. `running` is the number of runs in the lane, this one included. After a reduction, the limit grows
 * only while the lane uses all of it.
 */
export function laneAnswered(lane: Lane, run: LaneRun, running: number, maxLimit: number, now: number): Lane {
  const highest = Math.max(1, Math.min(maxLimit, lane.serverSlots ?? maxLimit));
  const allowed = laneLimit(lane);
  const grows = lane.caution === null || running >= allowed;
  const step = lane.caution === null ? 1 : 1 / (Math.floor(lane.limit) * lane.caution);
  const limit = grows ? Math.min(lane.limit + step, highest) : lane.limit;
  const measurement = {
    units: run.units,
    ms: now - run.startedAt,
    isFull: lane.gate === null && running >= allowed,
    limit: allowed,
    highest: Math.floor(limit),
  };
  return {
    ...lane,
    limit,
    search: lane.search === null ? null : searchMeasured(lane.search, measurement),
    answered: lane.answered + 1,
    lastAnswered: Math.max(lane.lastAnswered, run.number),
    slowestMs: Math.max(lane.slowestMs, now - run.startedAt),
    failedItems: [],
    rejections: answerAfter(lane.rejections),
    abandoned: lane.abandoned.filter((each) => each.run > run.number),
    gate: openedBy(lane.gate, run.startedAt),
  };
}

/**
 * Starts with as many items as the server runs concurrently, unless the server has shown signs of load before. Runs no
 * more if that is the server's limit.
 */
export function laneWithSlots(lane: Lane, { count, isLimit }: ServerSlots, maxLimit: number): Lane {
  const highest = Math.max(1, Math.min(count, maxLimit));
  const isFresh = lane.caution === null && lane.gate === null;
  if (!isLimit) return isFresh ? { ...lane, limit: Math.max(lane.limit, highest) } : lane;
  return { ...lane, serverSlots: count, limit: isFresh ? highest : Math.min(lane.limit, highest) };
}

/** Counts a test with one token. An answer says nothing about how many items may run. */
export function laneTested(lane: Lane, test: number, works: boolean): Lane {
  const tested = { ...lane, lastTest: test };
  if (!works) return tested;
  return {
    ...tested,
    lastAnswered: Math.max(lane.lastAnswered, test),
    failedItems: [],
    abandoned: lane.abandoned.filter((each) => each.run > test),
    gate: null,
  };
}

/** Halves the limit, once for all runs that were under way together. `running`: runs of the lane, with this one. */
export function laneReduced(lane: Lane, run: Pick<LaneRun, 'startedAt'>, running: number, now: number): Lane {
  if (run.startedAt <= lane.reducedAt) return lane;
  return {
    ...lane,
    limit: Math.max(1, Math.floor(Math.min(lane.limit, running) / 2)),
    caution: Math.min((lane.caution ?? 1) * CAUTION_FACTOR, MAX_CAUTION),
    reducedAt: now,
  };
}

/** Notes that an item failed for a reason that may be the server's. */
export function laneFailed(lane: Lane, name: string): Lane {
  if (lane.failedItems.includes(name) || lane.failedItems.length >= BROKEN_AFTER_ITEMS) return lane;
  return { ...lane, failedItems: [...lane.failedItems, name] };
}

/** Notes that an item has an outcome: its failures say nothing about the server any more. */
export function laneForgot(lane: Lane, name: string): Lane {
  if (!lane.failedItems.includes(name)) return lane;
  return { ...lane, failedItems: lane.failedItems.filter((each) => each !== name) };
}

/** Notes that a request was given up and may keep its server busy until `until`. */
export function laneAbandoned(lane: Lane, run: number, until: number): Lane {
  return { ...lane, abandoned: [...lane.abandoned, { run, until }] };
}

/** Requests that were given up and may still keep the server busy. */
export function abandonedCount(lane: Lane, now: number): number {
  return lane.abandoned.filter(({ until }) => until > now).length;
}
