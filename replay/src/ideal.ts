import type { MacTrace } from './trace.ts';
import type { ReplayJob } from './workload.ts';

/** At this moment the awake speed, the work that waits, or both change. */
interface Change {
  readonly at: number;
  readonly speed: number;
  readonly work: number;
}

/**
 * The fluid lower bound: when all work could be done if it were spread over all speed that is awake, in seconds
 * after the first submission. It knows no items, requests, model loads or crashes, so nobody reaches it.
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
    // Who dies asleep never wakes.
    if (until >= end) return changes;
    changes.push({ at: until, speed, work: 0 });
  }
  if (diesAt !== null) changes.push({ at: diesAt, speed: -speed, work: 0 });
  return changes;
}

function sum(costs: Float64Array): number {
  return costs.reduce((total, cost) => total + cost, 0);
}
