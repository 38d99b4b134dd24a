import type { MacTrace } from './trace.ts';
import type { ReplayJob } from './workload.ts';

/** A change of the total speed of awake Macs, of the waiting work, or of both. */
interface Change {
  readonly at: number;
  readonly speed: number;
  readonly work: number;
}

/**
 * Computes the fluid lower bound of the makespan, in seconds after the first submission: the work is spread over the
 * speed of all awake Macs. It ignores items, requests, model loads and crashes, so no real run can reach it.
 */
export function ideal(macs: readonly MacTrace[], jobs: readonly Pick<ReplayJob, 'at' | 'costs'>[]): number {
  const arrivals = jobs.map(({ at, costs }) => ({ at, speed: 0, work: sum(costs) }));
  const changes = [...macs.flatMap(speedChanges), ...arrivals].toSorted((one, other) => one.at - other.at);
  let now = 0;
  let speed = 0;
  let work = 0;
  let ended = 0;
  for (const change of changes) {
    const possible = speed * (change.at - now);
    if (work > 0 && possible >= work) {
      ended = now + work / speed;
      work = 0;
    } else {
      work -= Math.min(work, possible);
    }
    now = change.at;
    speed += change.speed;
    work += change.work;
  }
  if (work <= 0) return ended;
  return speed > 1e-9 ? now + work / speed : Number.POSITIVE_INFINITY;
}

function speedChanges({ speed, asleep, diesAt }: MacTrace): Change[] {
  const end = diesAt ?? Number.POSITIVE_INFINITY;
  const changes = [{ at: 0, speed, work: 0 }];
  for (const [from, until] of asleep) {
    if (from >= end) break;
    changes.push({ at: from, speed: -speed, work: 0 });
    // A Mac that dies asleep never wakes.
    if (until >= end) return changes;
    changes.push({ at: until, speed, work: 0 });
  }
  if (diesAt !== null) changes.push({ at: diesAt, speed: -speed, work: 0 });
  return changes;
}

function sum(costs: Float64Array): number {
  return costs.reduce((total, cost) => total + cost, 0);
}
