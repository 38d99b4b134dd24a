import { gainOf, NO_SAMPLE, type Sample, withItem, withNewer } from './measured-rate.ts';

/** Fewest and most items in a period, for each item that runs at its limit, and at least. */
const ITEMS_PER_PLACE = 2;
const MIN_ITEMS = 8;
const MAX_ITEMS_FACTOR = 6;
/** Fewest items in the first period: a short job is not worth a search. */
const FIRST_ITEMS = 24;
/** Shortest period. Other programs make a Mac faster and slower from one moment to the next. */
const MIN_PERIOD_MS = 5000;
/** A loss that is clear may end a period after this part of it. */
const EARLY = 1 / 2;
/** The limit changes at first by this part of itself. */
const FIRST_STRIDE = 1 / 3;
/** A higher limit has to bring this factor. */
const MIN_GAIN = 1.04;
/** A lower limit may bring this factor: it leaves more of the Mac to its owner. */
const MAX_LOSS = 0.97;
/** Growth ends at a limit that is worse than this. */
const COLLAPSE = 0.85;
/** A try that brings less than this part of what it should is given up before its period is full. */
const CLEARLY_LESS = 0.97;
/** How far below what is needed the error of a better rate may reach. */
const NEARLY = 0.95;
/** If the rate at the same limit changes by more than this factor, the search starts again. */
const CHANGE = 1.25;
/** Periods between two tries. Doubles with each try that brings nothing. */
const MAX_PATIENCE = 12;

/** An item with an output, as the search sees it. */
export interface Measurement {
  /** How much work it was: tokens, or 1 if its server does not count them. */
  readonly units: number;
  /** From its start to its end, in milliseconds. */
  readonly ms: number;
  /** As many items ran as the limit allows. Other items say nothing about the limit. */
  readonly isFull: boolean;
  /** The limit that held when it ended. */
  readonly limit: number;
  /** The highest limit that is allowed. */
  readonly highest: number;
}

/** Items at one limit. */
interface Period {
  readonly limit: number;
  /** Items to leave out: they started at another limit. */
  readonly skip: number;
  readonly sample: Sample;
}

/**
 * The search for the number of items of one model that run best concurrently: the lowest that has nearly the highest
 * rate. While the limit grows with each answer, it watches for a loss. Then it measures a period of items at the limit in
 * use, one at another limit, and keeps the better: first in wide strides, then in narrow ones, and ever more rarely.
 */
export interface ConcurrencySearch {
  /** The most items that may run; null while the search has found no bound. */
  readonly bound: number | null;
  readonly period: Period | null;
  /** The limit has grown with the last answer. */
  readonly growing: boolean;
  /** The best period while the limit grew. */
  readonly bestGrowth: Period | null;
  /** The limit in use with what was measured there; null before its first period. */
  readonly settled: { readonly limit: number; readonly sample: Sample } | null;
  /** Another limit is being tried. */
  readonly trying: boolean;
  /** The direction of the try, or of the next one. */
  readonly direction: 'up' | 'down';
  readonly stride: number;
  /** Periods at the limit in use before the next try, and those that have passed. */
  readonly patience: number;
  readonly waited: number;
}

export const NO_SEARCH: ConcurrencySearch = {
  bound: null,
  period: null,
  growing: false,
  bestGrowth: null,
  settled: null,
  trying: false,
  // The limit has grown with each answer, so whether fewer items would do is not known.
  direction: 'down',
  stride: Number.POSITIVE_INFINITY,
  patience: 1,
  waited: 0,
};

/** Counts a measurement. At the end of a period, decides which limit comes next. */
export function searchMeasured(search: ConcurrencySearch, one: Measurement): ConcurrencySearch {
  if (!one.isFull || !(one.ms > 0) || !(one.units > 0)) return search;
  const { period } = search;
  if (period !== null && search.bound === null && one.limit === period.limit + 1)
    return grown(search, period, one);
  if (period === null || period.limit !== one.limit || search.growing) {
    // Growth has ended, or another rule has set the limit. What was being tried is not.
    const start = { limit: one.limit, skip: period === null ? 0 : one.limit, sample: NO_SAMPLE };
    return counted({ ...search, trying: false, growing: false, period: start }, start, one);
  }
  return counted(search, period, one);
}

function counted(search: ConcurrencySearch, period: Period, one: Measurement): ConcurrencySearch {
  if (period.skip > 0) return { ...search, period: { ...period, skip: period.skip - 1 } };
  const sample = withItem(period.sample, one.units, one.ms, one.limit);
  const now = { ...search, period: { ...period, sample } };
  return search.trying ? judgeTry(now, sample, one) : judgeSettled(now, sample, one);
}

/** The limit has grown by one with an answer. Goes back to the best limit so far if the rate has fallen. */
function grown(search: ConcurrencySearch, period: Period, one: Measurement): ConcurrencySearch {
  const sample = withItem(period.sample, one.units, one.ms, one.limit);
  const group = { ...period, limit: one.limit, sample };
  const now = { ...search, growing: true };
  const { bestGrowth } = search;
  if (
    bestGrowth !== null &&
    isLongEnough(sample, one.limit, MIN_ITEMS, EARLY) &&
    gainOf(sample, bestGrowth.sample, 2).high < COLLAPSE
  ) {
    const { limit } = bestGrowth;
    return {
      ...now,
      growing: false,
      bound: limit,
      period: { limit, skip: one.limit, sample: NO_SAMPLE },
      bestGrowth: null,
    };
  }
  const items = Math.max(MIN_ITEMS, (bestGrowth?.limit ?? 0) * ITEMS_PER_PLACE * FIRST_STRIDE);
  if (!isLongEnough(sample, one.limit, items, EARLY)) return { ...now, period: group };
  const isBest = bestGrowth === null || gainOf(sample, bestGrowth.sample).gain >= 1;
  return { ...now, period: { ...group, sample: NO_SAMPLE }, bestGrowth: isBest ? group : bestGrowth };
}

/** Decides at the limit in use. */
function judgeSettled(search: ConcurrencySearch, sample: Sample, one: Measurement): ConcurrencySearch {
  const { settled } = search;
  const period = { limit: one.limit, skip: 0, sample: NO_SAMPLE };
  const gain = settled?.limit === one.limit ? gainOf(sample, settled.sample, 2) : null;
  const isChanged = gain !== null && (gain.high < 1 / CHANGE || gain.low > CHANGE);
  const items = Math.max(periodItems(one.limit), settled === null ? FIRST_ITEMS : 0);
  if (!isLongEnough(sample, one.limit, items, isChanged ? EARLY : 1)) return search;
  if (settled === null || gain === null || isChanged) {
    const isFaster = gain !== null && gain.gain > 1;
    const fresh = {
      ...search,
      period,
      settled: { limit: one.limit, sample },
      // Strides grow with each success, and a change that is over soon costs little.
      stride: settled === null ? Number.POSITIVE_INFINITY : 1,
      patience: 1,
      direction: isFaster ? 'up' : 'down',
    } as const;
    return tryNext(fresh, one.highest);
  }
  const isSame = gain.low <= 1 && gain.high >= 1;
  const known = isSame ? withNewer(settled.sample, sample) : sample;
  const now = { ...search, period, settled: { limit: one.limit, sample: known } };
  return search.waited + 1 < search.patience
    ? { ...now, waited: search.waited + 1 }
    : tryNext(now, one.highest);
}

/** Decides at a limit that is being tried: keeps it, gives it up, or measures more items. */
function judgeTry(search: ConcurrencySearch, sample: Sample, one: Measurement): ConcurrencySearch {
  const { settled, direction } = search;
  if (settled === null) return { ...search, trying: false };
  const { gain, low, high } = gainOf(sample, settled.sample, 1.5);
  const items = periodItems(one.limit);
  const part = Math.abs(one.limit - settled.limit) / settled.limit / FIRST_STRIDE;
  const needed = 1 + part * ((direction === 'up' ? MIN_GAIN : MAX_LOSS) - 1);
  if (high < needed * CLEARLY_LESS && isLongEnough(sample, one.limit, MIN_ITEMS, EARLY))
    return giveUp(search, settled.limit);
  if (!isLongEnough(sample, one.limit, items)) return search;
  const isClear = low >= needed || high < needed;
  if (!isClear && !isLongEnough(sample, one.limit, items, MAX_ITEMS_FACTOR)) return search;
  // Without a clear difference, the limit in use stays.
  if (low < needed && !(gain >= needed && low >= needed * NEARLY)) return giveUp(search, settled.limit);
  const moved = {
    ...search,
    settled: { limit: one.limit, sample },
    trying: false,
    stride: 2 * search.stride,
    patience: 1,
  };
  return tryNext(moved, one.highest);
}

/** Returns to the limit in use. Tries the other direction next, in narrower strides. */
function giveUp(search: ConcurrencySearch, limit: number): ConcurrencySearch {
  const { direction, stride, patience, period } = search;
  return {
    ...search,
    bound: limit,
    period: { limit, skip: Math.max(limit, period?.limit ?? 0), sample: NO_SAMPLE },
    trying: false,
    direction: direction === 'up' ? 'down' : 'up',
    stride: Math.max(1, Math.floor(stride / 2)),
    patience: stride > 1 ? 1 : Math.min(2 * patience, MAX_PATIENCE),
    waited: 0,
  };
}

/** Tries another limit; stays at the one in use if there is none. */
function tryNext(search: ConcurrencySearch, highest: number): ConcurrencySearch {
  const { settled, direction } = search;
  if (settled === null) return search;
  const { limit } = settled;
  const stride = Math.min(search.stride, Math.max(1, Math.floor(limit * FIRST_STRIDE)));
  const higher = Math.min(limit + stride, highest);
  const lower = Math.max(1, limit - stride);
  const isUp = lower === limit || (direction === 'up' && higher > limit);
  const target = isUp ? higher : lower;
  if (target === limit) return { ...search, bound: limit, trying: false, waited: 0 };
  return {
    ...search,
    bound: target,
    period: { limit: target, skip: Math.max(limit, target), sample: NO_SAMPLE },
    trying: true,
    direction: isUp ? 'up' : 'down',
    stride,
    waited: 0,
  };
}

/** Whether a sample has so many items and the shortest time, both times `part`. */
function isLongEnough({ items, ms }: Sample, limit: number, needed: number, part = 1): boolean {
  // Items that run concurrently share the time.
  return items >= needed * part && ms >= MIN_PERIOD_MS * limit * part;
}

function periodItems(limit: number): number {
  return Math.max(MIN_ITEMS, ITEMS_PER_PLACE * limit);
}
