import { expect, it } from 'vitest';
import {
  cancel,
  copy,
  expire,
  fail,
  itemError,
  LEASE_MS,
  lease,
  loseCopy,
  release,
  renew,
  report,
  retry,
} from '../testing/events.ts';
import { brokenRules } from '../testing/invariants.ts';
import { canFinish, step, type World, worldOf } from '../testing/world.ts';
import type { TaskEvent } from './event.ts';
import { newTask, RETRY_POLICIES, type RetryOn, TASK_STATUSES } from './task.ts';

const WORKERS = ['ann', 'bob'] as const;
const ITEMS = 2;
const DEPTH = 10;

/** Every event that two workers, the clock and a person can send to a task. Now is always 0. */
function* moves(
  { task, granted, itemErrors }: World,
  mayCancel: boolean,
): Generator<[event: TaskEvent, bad: number]> {
  for (const worker of WORKERS) {
    yield [lease(worker, 0), 0];
    yield [copy(worker), 0];
    for (const attempt of granted.flatMap((holder, index) => (holder === worker ? [index + 1] : []))) {
      yield [renew(worker, attempt, 0), 0];
      yield [renew(worker, attempt, 0, 'other-boot'), 0];
      yield [itemError(worker, attempt), 0];
      yield [fail(worker, attempt), 0];
      yield [release(worker, attempt), 0];
      for (let recorded = 0; recorded <= task.itemCount - task.outcomeCount; recorded += 1) {
        yield [report(worker, attempt, recorded), 0];
        if (recorded > 0) yield [report(worker, attempt, recorded), 1];
      }
    }
  }
  yield [expire(0, task.assignedWorker ?? 'ann'), 0];
  if (task.expiries < 2) yield [loseCopy(), 0]; // there are no copies after that
  for (let reopened = 0; reopened <= itemErrors; reopened += 1) yield [retry(reopened), 0];
  if (mayCancel) yield [cancel(), 0];
}

/** The same world one lease duration later. It does not matter how long ago a lease passed. */
function later(world: World): World {
  const { leaseUntil } = world.task;
  if (leaseUntil === null) return world;
  return { ...world, task: { ...world.task, leaseUntil: Math.max(0, leaseUntil - LEASE_MS) } };
}

/** Every world within `depth` moves of a new task, and the rules that any of these moves broke. */
function explore(retryOn: RetryOn, depth: number) {
  const start = worldOf(newTask(ITEMS, retryOn));
  const seen = new Map([[JSON.stringify(start), start]]);
  const broken: string[] = [];
  let moved = 0;
  let frontier = [start];
  for (let at = 0; at < depth; at += 1) {
    const reached: World[] = [];
    const visit = (world: World) => {
      const key = JSON.stringify(world);
      if (seen.has(key)) return;
      seen.set(key, world);
      reached.push(world);
    };
    for (const world of frontier) {
      visit(later(world));
      for (const [event, bad] of moves(world, at < 4)) {
        moved += 1;
        const taken = step(world, event, bad);
        broken.push(...brokenRules(world.task, event, taken.decision));
        visit(taken.world);
      }
    }
    frontier = reached;
  }
  return { worlds: [...seen.values()], broken: [...new Set(broken)], moved };
}

it.each(RETRY_POLICIES)(
  `T1-T14: holds every rule in all sequences of ${DEPTH} moves by two workers, the clock and a person (%s)`,
  (retryOn) => {
    const { worlds, broken, moved } = explore(retryOn, DEPTH);
    process.stdout.write(`explored ${worlds.length} states and ${moved} moves (${retryOn})\n`);
    expect(broken).toEqual([]);
    const stuck = worlds.filter(
      (world) => !world.task.cancelled && world.task.status !== 'failed' && !canFinish(world),
    );
    expect(stuck).toEqual([]);
    expect(new Set(worlds.map(({ task }) => task.status))).toEqual(new Set(TASK_STATUSES));
  },
);
