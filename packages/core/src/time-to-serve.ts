/** A worker as far as it matters here. */
export interface Server {
  /** Seconds until it takes anything new. */
  readonly freeAfter: number;
  /**
   * Items a second that it does of the job at this place; null where it can't do it, and 0 where it can and nobody
   * knows how fast: then it is not counted on until others have done that job.
   */
  readonly paceAt: (place: number) => number | null;
}

/** So little of an item is none: what is left over by rounding. */
const NOTHING = 1e-9;

/**
 * Seconds until the last of these jobs has nothing left, given the items of each in the order of service: each
 * worker works on the first job that it can do and that has something left, and changes over at once. Infinite where
 * nobody can do it.
 *
 * One more worker, or a faster one, never makes it later: a job that others come before gets whoever those leave over,
 * and they leave over more, sooner.
 */
export function timeToServe(items: readonly number[], servers: readonly Server[]): number {
  const left = [...items];
  const last = left.length - 1;
  /** Where each server looks first: nothing is left of what it can do before that. */
  const looking = servers.map(() => 0);
  let now = 0;
  while ((left[last] ?? 0) > NOTHING) {
    const paces = new Map<number, number>();
    let next = Number.POSITIVE_INFINITY;
    for (const [n, server] of servers.entries()) {
      if (server.freeAfter > now) {
        next = Math.min(next, server.freeAfter - now);
        continue;
      }
      let place = looking[n] ?? 0;
      while (place <= last && ((left[place] ?? 0) <= NOTHING || server.paceAt(place) === null)) place += 1;
      looking[n] = place;
      if (place <= last) paces.set(place, (paces.get(place) ?? 0) + (server.paceAt(place) ?? 0));
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
