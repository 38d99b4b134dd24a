import type { Random } from './random.ts';

/** A time interval in seconds after the first submission. */
export type Interval = readonly [from: number, until: number];

/** Traces are this long: longer than any run. */
const HORIZON_SECONDS = 400_000;

/** A Mac and the events of its life. */
export interface MacTrace {
  /** Relative to a Mac of speed 1. */
  readonly speed: number;
  /** The number of items that it runs concurrently. */
  readonly slots: number;
  /** Intervals in which its lid is closed. */
  readonly asleep: readonly Interval[];
  /** Intervals in which its network is cut. */
  readonly offline: readonly Interval[];
  /** When it dies. */
  readonly diesAt: number | null;
}

/** Draws the intervals in which a lid is closed. `up` and `down` are mean seconds. It may be closed at the start. */
export function lids(random: Random, up: number, down: number): Interval[] {
  const asleep: Interval[] = [];
  let at = 0;
  if (random.next() < down / (up + down)) {
    at = random.exponential(down);
    asleep.push([0, at]);
  }
  while (at < HORIZON_SECONDS) {
    at += random.exponential(up);
    const wakes = at + random.exponential(down);
    asleep.push([at, wakes]);
    at = wakes;
  }
  return asleep;
}

/** Draws network outages. `every` and `length` are mean seconds. */
export function outages(random: Random, every: number, length: number): Interval[] {
  const offline: Interval[] = [];
  let at = random.exponential(every);
  while (at < HORIZON_SECONDS) {
    const ends = at + random.exponential(length);
    offline.push([at, ends]);
    at = ends + random.exponential(every);
  }
  return offline;
}
