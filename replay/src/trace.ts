import type { Random } from './random.ts';

/** From and until, in seconds after the first submission. */
export type Interval = readonly [from: number, until: number];

/** How long traces are: longer than any run. */
const HORIZON = 400_000;

/** A Mac, and what befalls it. */
export interface MacTrace {
  /** Against a Mac of speed 1. */
  readonly speed: number;
  /** Items it runs at once. */
  readonly slots: number;
  /** When its lid is closed. */
  readonly asleep: readonly Interval[];
  /** When its network is out. */
  readonly offline: readonly Interval[];
  /** When it dies for ever. */
  readonly diesAt: number | null;
}

/** Lids that open and close, with these means in seconds. A lid may be closed at the start. */
export function lids(random: Random, up: number, down: number): Interval[] {
  const asleep: Interval[] = [];
  let at = 0;
  if (random.next() < down / (up + down)) {
    at = random.exponential(down);
    asleep.push([0, at]);
  }
  while (at < HORIZON) {
    at += random.exponential(up);
    const wakes = at + random.exponential(down);
    asleep.push([at, wakes]);
    at = wakes;
  }
  return asleep;
}

/** Outages of a network: how often and how long in the mean, in seconds. */
export function outages(random: Random, every: number, length: number): Interval[] {
  const offline: Interval[] = [];
  let at = random.exponential(every);
  while (at < HORIZON) {
    const ends = at + random.exponential(length);
    offline.push([at, ends]);
    at = ends + random.exponential(every);
  }
  return offline;
}
