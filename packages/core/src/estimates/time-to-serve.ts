/** A worker as far as it matters here. */
export interface SimulatedWorker {
  /** Seconds until it takes anything new. */
  readonly freeAfter: number;
  /** The places of the jobs that it can do, the first first. */
  readonly takes: readonly number[];
  /**
   * Items a second that it does of the job at a place: 0 where nobody knows how fast, and then it is not counted on
   * until others have done that job.
   */
  readonly rateAt: (place: number) => number;
}

/** So little of an item is none: what is left over by rounding. */
const NOTHING = 1e-9;

/**
 * Seconds until the job at place `target` has nothing left, given the items of each: every server works on the first
 * job of its own order that has something left, and changes over at once. Infinite where nobody gets there.
 *
 * One more server, or a faster one, never makes it later, nor does less to do: by induction over the moments at which
 * a job ends, those that still have something left then are the same or fewer, so that each of them has the same
 * servers or more.
 */
export function timeToServe(
  items: readonly number[],
  servers: readonly SimulatedWorker[],
  target: number,
): number {
  const left = [...items];
  /** Where each server looks first: nothing is left of what comes before that. */
  const looking = servers.map(() => 0);
  let now = 0;
  while ((left[target] ?? 0) > NOTHING) {
    const paces = new Map<number, number>();
    let next = Number.POSITIVE_INFINITY;
    for (const [n, { freeAfter, takes, rateAt }] of servers.entries()) {
      if (freeAfter > now) {
        next = Math.min(next, freeAfter - now);
        continue;
      }
      let at = looking[n] ?? 0;
      while (at < takes.length && (left[takes[at] ?? -1] ?? 0) <= NOTHING) at += 1;
      looking[n] = at;
      const taken = takes[at];
      if (taken !== undefined) paces.set(taken, (paces.get(taken) ?? 0) + rateAt(taken));
    }
    for (const [place, pace] of paces) next = Math.min(next, (left[place] ?? 0) / pace);
    if (!Number.isFinite(next)) return next;
    now += next;
    for (const [place, pace] of paces) {
      const remaining = (left[place] ?? 0) - pace * next;
      left[place] = remaining <= NOTHING ? 0 : remaining;
    }
  }
  return now;
}
