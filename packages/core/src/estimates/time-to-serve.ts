/** A worker in the simulation. A job's position is its index in the list of jobs. */
export interface SimulatedWorker {
  /** Seconds until it can take new work. */
  readonly freeAfter: number;
  /** Positions of the jobs that it can run, in the order in which it tries them. */
  readonly takes: readonly number[];
  /** Items a second on the job at a position; 0 if unknown. A worker with rate 0 contributes nothing. */
  readonly rateAt: (position: number) => number;
}

/** Remainders below this are rounding errors. */
const NEGLIGIBLE_ITEMS = 1e-9;

/**
 * Simulates how long it takes until the job at position `target` has no items left.
 *
 * Every worker works on the first job of its own order that has items left, and changes jobs without delay. Returns
 * seconds; infinite if no worker finishes the job.
 *
 * Adding a worker, making one faster or removing items never increases the returned time. Proof by induction over the moments
 * at which a job ends: compared with the unchanged run, no additional job has items left, so each remaining job has the same
 * workers or more.
 */
export function timeToServe(
  items: readonly number[],
  workers: readonly SimulatedWorker[],
  target: number,
): number {
  const left = [...items];
  /** For each worker, the index in `takes` of the first job that may have items left. */
  const cursors = workers.map(() => 0);
  let now = 0;
  while ((left[target] ?? 0) > NEGLIGIBLE_ITEMS) {
    const rates = new Map<number, number>();
    let step = Number.POSITIVE_INFINITY;
    for (const [index, { freeAfter, takes, rateAt }] of workers.entries()) {
      if (freeAfter > now) {
        step = Math.min(step, freeAfter - now);
        continue;
      }
      let cursor = cursors[index] ?? 0;
      while (cursor < takes.length && (left[takes[cursor] ?? -1] ?? 0) <= NEGLIGIBLE_ITEMS) cursor += 1;
      cursors[index] = cursor;
      const position = takes[cursor];
      if (position !== undefined) rates.set(position, (rates.get(position) ?? 0) + rateAt(position));
    }
    for (const [position, rate] of rates) step = Math.min(step, (left[position] ?? 0) / rate);
    if (!Number.isFinite(step)) return step;
    now += step;
    for (const [position, rate] of rates) {
      const remaining = (left[position] ?? 0) - rate * step;
      left[position] = remaining <= NEGLIGIBLE_ITEMS ? 0 : remaining;
    }
  }
  return now;
}
