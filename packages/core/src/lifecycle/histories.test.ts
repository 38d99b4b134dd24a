import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bootOf,
  cancel,
  ERROR,
  expire,
  fail,
  itemError,
  LEASE_MS,
  lease,
  release,
  renew,
  report,
  retry,
  T0,
} from '../testing/events.ts';
import { brokenRules } from '../testing/invariants.ts';
import { canFinish, step, type World, worldOf } from '../testing/world.ts';
import { decide } from './decide.ts';
import { REFUSALS, type TaskEvent } from './event.ts';
import { newTask, RETRY_POLICIES, TASK_STATUSES, type Task } from './task.ts';

const WORKERS = ['ann', 'bob', 'cem'] as const;

/** A drawn event. Its numbers are filled in when it is played, because they depend on the history so far. */
const draw = fc.record({
  type: fc.oneof(
    { weight: 6, arbitrary: fc.constant('lease' as const) },
    { weight: 5, arbitrary: fc.constant('expire' as const) },
    { weight: 3, arbitrary: fc.constantFrom('fail', 'report', 'release', 'renew', 'item_error') },
    { weight: 1, arbitrary: fc.constant('retry' as const) },
  ),
  worker: fc.constantFrom(...WORKERS),
  /** Whether the event comes from the worker that got the lease, or from a random one. */
  honest: fc.boolean(),
  /** Whether the event comes from the boot that got the lease. */
  sameBoot: fc.oneof(
    { weight: 4, arbitrary: fc.constant(true) },
    { weight: 1, arbitrary: fc.constant(false) },
  ),
  /** How many leases ago the event's lease was granted; -1 is a lease that was never granted. */
  leasesAgo: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: -1, max: 4 }) },
  ),
  amount: fc.nat({ max: 3 }),
  bad: fc.nat({ max: 3 }),
  wait: fc.constantFrom(0, 1, LEASE_MS - 1, LEASE_MS),
});
type Draw = typeof draw extends fc.Arbitrary<infer T> ? T : never;

const history = fc.record({
  start: fc
    .tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom(...RETRY_POLICIES))
    .map(([itemCount, retryOn]) => newTask(itemCount, retryOn)),
  draws: fc.array(draw, { maxLength: 80, size: 'max' }),
  /** Number of events after which a person cancels the job; never if larger than the history. */
  cancelledAfter: fc.nat({ max: 200 }),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

function eventOf(world: World, drawn: Draw, now: number): TaskEvent {
  const attempt = world.task.attempts - drawn.leasesAgo;
  const worker = drawn.honest ? (world.granted[attempt - 1] ?? drawn.worker) : drawn.worker;
  const missing = world.task.itemCount - world.task.outcomeCount;
  switch (drawn.type) {
    case 'lease':
      return lease(drawn.worker, now);
    case 'renew':
      return renew(worker, attempt, now, drawn.sameBoot ? bootOf(worker) : 'other-boot');
    case 'item_error':
      return itemError(worker, attempt);
    case 'fail':
      return fail(worker, attempt, ERROR);
    case 'release':
      return release(worker, attempt);
    case 'report':
      return report(worker, attempt, Math.min(drawn.amount, missing));
    case 'expire':
      return expire(now, world.task.assignedWorker ?? 'ann');
    case 'retry':
      return retry(Math.min(drawn.amount, world.itemErrors));
  }
}

/** Plays a history and yields each step. */
function* play({ start, draws, cancelledAfter }: History) {
  let world = worldOf(start);
  let now = T0;
  for (const [index, drawn] of draws.entries()) {
    if (index === cancelledAfter) world = step(world, cancel()).world;
    now += drawn.wait;
    const event = eventOf(world, drawn, now);
    const before = world;
    const taken = step(before, event, event.type === 'report' ? Math.min(drawn.bad, event.recorded) : 0);
    world = taken.world;
    yield { before, event, decision: taken.decision, after: world };
  }
}

function deepFreeze(task: Task): Task {
  return Object.freeze({ ...task });
}

describe('random histories', () => {
  it('T1-T14: hold every rule at every step', () => {
    fc.assert(
      fc.property(history, (drawn) => {
        for (const { before, event, decision } of play(drawn)) {
          expect(brokenRules(before.task, event, decision)).toEqual([]);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('T9: leave every task finishable by a good worker, unless it failed or was cancelled', () => {
    fc.assert(
      fc.property(history, (drawn) => {
        for (const { after } of play(drawn)) {
          if (after.task.cancelled || after.task.status === 'failed') continue;
          expect(canFinish(after)).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('T13: leave every failed task finishable by a retry and a good worker', () => {
    fc.assert(
      fc.property(history, (drawn) => {
        for (const { after } of play(drawn)) {
          if (after.task.cancelled || after.task.status !== 'failed') continue;
          expect(canFinish(step(after, retry()).world)).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('T12: get the same decision twice, without a change to the input', () => {
    fc.assert(
      fc.property(history, (drawn) => {
        for (const { before, event, decision } of play(drawn)) {
          expect(decide(deepFreeze(before.task), Object.freeze({ ...event }))).toEqual(decision);
          expect(decision.ok && decision.task === before.task).toBe(false);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('T1: reach every status, every accepted event and every refusal, so the tests above are not vacuous', () => {
    const steps = fc.sample(history, { numRuns: 1_000, seed: 2026 }).flatMap((drawn) => [...play(drawn)]);
    const reasons = steps.flatMap(({ decision }) => (decision.ok ? [] : [decision.reason]));
    const accepted = steps.flatMap(({ before, event, decision }) => {
      if (!decision.ok) return [];
      const resumes = event.type === 'renew' && before.task.status === 'pending';
      return [`${resumes ? 'renew of a lapsed lease' : event.type} → ${decision.task.status}`];
    });
    expect(new Set(reasons)).toEqual(new Set(REFUSALS));
    expect(new Set(steps.map(({ after }) => after.task.status))).toEqual(new Set(TASK_STATUSES));
    expect(new Set(accepted)).toEqual(
      new Set([
        'lease → leased',
        'renew → leased',
        'renew of a lapsed lease → leased',
        'item_error → pending',
        'item_error → leased',
        'report → pending',
        'report → leased',
        'report → failed',
        'report → done',
        'fail → pending',
        'fail → failed',
        'release → pending',
        'expire → pending',
        'expire → failed',
        'retry → pending',
      ]),
    );
  });
});
