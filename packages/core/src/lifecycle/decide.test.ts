import { describe, expect, it } from 'vitest';
import { after } from '../testing/after.ts';
import {
  cancel as cancelEvent,
  ERROR,
  expire,
  fail,
  LEASE_MS,
  lease,
  release,
  renew,
  report,
  retry,
  T0,
} from '../testing/events.ts';
import { decide } from './decide.ts';
import type { Refusal, TaskEvent } from './event.ts';
import { HEARTBEAT_ALIVE_SECONDS, LEASE_SECONDS, MAX_ATTEMPTS, MAX_EXPIRIES } from './lease-terms.ts';
import { EXPIRED_TOO_OFTEN } from './rules.ts';
import { newTask, RETRY_POLICIES, TASK_STATUSES, type Task } from './task.ts';

const ITEMS = 3;
const fresh = newTask(ITEMS, 'attempts');
const cancel = (task: Task): Task => ({ ...task, cancelled: true });
const times = (count: number, ...events: readonly TaskEvent[]): TaskEvent[] =>
  Array.from({ length: count }, () => events).flat();

const leasedByAnn = after(fresh, lease('ann'));
const expired = after(leasedByAnn, expire());
const leasedByBob = after(expired, lease('bob'));
const done = after(leasedByAnn, report('ann', 1, ITEMS));
const failed = after(leasedByBob, fail('bob', 2), lease('cem'), fail('cem', 3));

const refused = (reason: Refusal) => ({ ok: false, reason });

describe('the states', () => {
  it('T1: a task is pending, leased, done or failed', () => {
    expect(TASK_STATUSES).toEqual(['pending', 'leased', 'done', 'failed']);
    expect([fresh, leasedByAnn, done, failed].map(({ status }) => status)).toEqual(TASK_STATUSES);
  });

  it('T1: a new task is pending, nobody holds it and nothing is counted yet', () => {
    expect(fresh).toEqual({
      status: 'pending',
      attempts: 0,
      errors: 0,
      expiries: 0,
      returns: 0,
      retryBase: 0,
      retryOn: 'attempts',
      itemCount: ITEMS,
      outcomeCount: 0,
      assignedWorker: null,
      leaseUntil: null,
      error: null,
      cancelled: false,
    });
  });

  it('T3: a lease holds 600 s, an error is final at 3 attempts, a heartbeat counts for 60 s', () => {
    expect({ LEASE_SECONDS, MAX_ATTEMPTS, HEARTBEAT_ALIVE_SECONDS }).toEqual({
      LEASE_SECONDS: 600,
      MAX_ATTEMPTS: 3,
      HEARTBEAT_ALIVE_SECONDS: 60,
    });
  });
});

describe('lease', () => {
  it('T2: a lease sets the status, the end of the lease and one more attempt, all at once', () => {
    expect(after(fresh, lease('ann'))).toEqual({
      ...fresh,
      status: 'leased',
      leaseUntil: T0 + 600_000,
      attempts: 1,
      assignedWorker: 'ann',
    });
  });

  it('T2: the attempt of a worker that died silently stays burnt', () => {
    expect(expired.attempts).toBe(1);
    expect(leasedByBob.attempts).toBe(2);
  });

  it.each<[string, Task, Refusal]>([
    ['leased', leasedByAnn, 'not_pending'],
    ['leased and overdue, for it has not been reclaimed', leasedByAnn, 'not_pending'],
    ['done', done, 'not_pending'],
    ['failed', failed, 'not_pending'],
    ['pending in a cancelled job', cancel(fresh), 'job_cancelled'],
    ['leased in a cancelled job', cancel(leasedByAnn), 'job_cancelled'],
  ])('T4: no lease is granted to a task that is %s', (_state, task, reason) => {
    expect(decide(task, lease('bob', T0 + 2 * LEASE_MS))).toEqual(refused(reason));
  });

  it('T4: of two workers that reach for one task, the second goes on without it', () => {
    const first = decide(fresh, lease('ann'));
    expect(first.ok && decide(first.task, lease('bob'))).toEqual(refused('not_pending'));
  });
});

describe('renew', () => {
  it('T10: a renewal in a cancelled job is refused, so that the holder learns of it and stops', () => {
    expect(decide(cancel(leasedByAnn), renew('ann', 1))).toEqual(refused('job_cancelled'));
  });

  it('T2: a renewal moves the end of the lease and nothing else, not even the attempts', () => {
    expect(after(leasedByAnn, renew('ann', 1, T0 + 200_000))).toEqual({
      ...leasedByAnn,
      leaseUntil: T0 + 200_000 + LEASE_MS,
    });
  });

  it('T5: a renewal that comes before the reclaim saves an overdue lease', () => {
    const late = T0 + LEASE_MS + 5_000;
    expect(decide(after(leasedByAnn, renew('ann', 1, late)), expire(late))).toEqual(refused('not_due'));
  });
});

describe('expire', () => {
  it('T5: a lease whose end has passed goes back to pending, and the worker is cleared', () => {
    expect(expired).toEqual({
      ...leasedByAnn,
      status: 'pending',
      assignedWorker: null,
      leaseUntil: null,
      expiries: 1,
    });
  });

  it.each([
    ['one millisecond before its end', T0 + LEASE_MS - 1, false],
    ['at its very end', T0 + LEASE_MS, true],
    ['long after it', T0 + 48 * 3_600_000, true],
  ])('T5: asked %s, a lease is taken back: %s ms, %s', (_when, now, takenBack) => {
    expect(decide(leasedByAnn, expire(now)).ok).toBe(takenBack);
  });

  it.each<[string, Task]>([
    ['pending', fresh],
    ['pending again', expired],
    ['done', done],
    ['failed', failed],
  ])('T5: a task that is %s has no lease to take back, so a second pass changes nothing', (_state, task) => {
    expect(decide(task, expire(T0 + 48 * 3_600_000))).toEqual(refused('not_due'));
  });

  it('T5: expiries alone do not fail a task at three attempts', () => {
    expect(after(fresh, ...times(3, lease('ann'), expire())).status).toBe('pending');
  });

  it('T11: nine expiries are borne, the tenth fails the task and says so', () => {
    expect(MAX_EXPIRIES).toBe(10);
    const nine = after(fresh, ...times(9, lease('ann'), expire()));
    expect(nine).toMatchObject({ status: 'pending', expiries: 9, error: null });
    expect(after(nine, lease('ann'), expire())).toEqual({
      ...nine,
      status: 'failed',
      attempts: 10,
      expiries: 10,
      error: EXPIRED_TOO_OFTEN,
    });
    expect(JSON.parse(EXPIRED_TOO_OFTEN)).toEqual({
      code: 'lease_expired_too_often',
      message: '10 leases in a row expired without a report',
    });
  });

  it.each<[string, readonly TaskEvent[]]>([
    ['an outcome', [report('bob', 10, 1), expire()]],
    ['a late outcome from a lease that ended', [report('ann', 3, 1), expire()]],
    ['an error', [fail('bob', 10)]],
  ])('T11: only expiries in a row count: after nine, %s begins a new row', (_sign, events) => {
    const alive = after(
      newTask(ITEMS, 'errors'),
      ...times(9, lease('ann'), expire()),
      lease('bob'),
      ...events,
    );
    const since = events.length - 1; // the lease that brought the sign may still expire
    expect(alive).toMatchObject({ status: 'pending', expiries: since });
    const again = after(alive, ...times(9 - since, lease('ann'), expire()));
    expect(again).toMatchObject({ status: 'pending', expiries: 9 });
    expect(after(again, lease('ann'), expire())).toMatchObject({
      status: 'failed',
      error: EXPIRED_TOO_OFTEN,
    });
  });

  it.each<[string, TaskEvent]>([
    ['a report that brings nothing new', report('bob', 10, 0)],
    ['a renewal', renew('bob', 10)],
    ['a lease handed back', release('bob', 10)],
  ])('T11: %s does not end a row of expiries', (_event, event) => {
    const nine = after(fresh, ...times(9, lease('ann'), expire()), lease('bob'));
    expect(after(nine, event).expiries).toBe(9);
  });

  it('T11: a task that failed by its expiries stays failed when a late outcome ends the row', () => {
    const lost = after(fresh, ...times(10, lease('ann'), expire()));
    expect(after(lost, report('ann', 4, 1))).toEqual({ ...lost, outcomeCount: 1, expiries: 0 });
  });

  it("T11: the bound is the same when only errors burn a task's attempts", () => {
    const nine = after(newTask(ITEMS, 'errors'), ...times(9, lease('ann'), expire()));
    expect(nine.status).toBe('pending');
    expect(after(nine, lease('ann'), expire()).status).toBe('failed');
  });
});

describe('fail', () => {
  it.each([1, 2])('T6: an error at attempt %i sends the task back to pending, for anyone', (attempt) => {
    const held = after(fresh, ...times(attempt - 1, lease('ann'), expire()), lease('bob'));
    const next = after(held, fail('bob', attempt));
    expect(next).toEqual({
      ...held,
      status: 'pending',
      assignedWorker: null,
      leaseUntil: null,
      errors: 1,
      expiries: 0,
      error: ERROR,
    });
    expect(after(next, lease('cem')).assignedWorker).toBe('cem');
  });

  it.each([3, 4, 9])('T6: an error at attempt %i fails the task', (attempt) => {
    const held = after(fresh, ...times(attempt - 1, lease('ann'), expire()), lease('bob'));
    expect(after(held, fail('bob', attempt))).toEqual({
      ...held,
      status: 'failed',
      assignedWorker: null,
      leaseUntil: null,
      errors: 1,
      expiries: 0,
      error: ERROR,
    });
  });

  it('T6: the last error is the one that is kept', () => {
    const next = after(
      fresh,
      lease('ann'),
      fail('ann', 1, '"first"'),
      lease('ann'),
      fail('ann', 2, '"last"'),
    );
    expect(next).toMatchObject({ errors: 2, error: '"last"' });
  });

  it('T6: outcomes that are recorded stay when the task fails', () => {
    const part = after(fresh, ...times(2, lease('ann'), expire()), lease('ann'), report('ann', 3, 2));
    expect(after(part, fail('ann', 3))).toMatchObject({ status: 'failed', outcomeCount: 2 });
  });

  it('T6: a lease that was handed back does not count towards the three', () => {
    const held = after(fresh, ...times(1, lease('ann'), release('ann', 1)), lease('bob'), expire());
    const third = after(held, lease('cem'));
    expect(third.attempts).toBe(3);
    expect(after(third, fail('cem', 3)).status).toBe('pending');
    expect(after(third, fail('cem', 3), lease('cem'), fail('cem', 4)).status).toBe('failed');
  });

  it('T6: where only errors burn attempts, expiries do not count and the third error fails the task', () => {
    const lost = after(newTask(ITEMS, 'errors'), ...times(5, lease('ann'), expire()));
    const second = after(lost, lease('ann'), fail('ann', 6), lease('ann'), fail('ann', 7), lease('ann'));
    expect(second).toMatchObject({ status: 'leased', attempts: 8, errors: 2 });
    expect(after(second, fail('ann', 8))).toMatchObject({ status: 'failed', errors: 3, error: ERROR });
  });

  it('T8: a task that failed once is free at once: there is no back-off', () => {
    const next = after(leasedByAnn, fail('ann', 1));
    expect(after(next, lease('ann', T0)).status).toBe('leased');
  });
});

describe('report', () => {
  it('T7: the result that completes a task ends it, with the reporter as its worker', () => {
    expect(done).toEqual({ ...leasedByAnn, status: 'done', leaseUntil: null, outcomeCount: ITEMS });
  });

  it('T7: a later result for a task that is done changes nothing, and the answer says so', () => {
    expect(decide(done, report('ann', 1, 0))).toEqual(refused('already_done'));
    const byTwo = after(leasedByBob, report('ann', 1, ITEMS));
    expect(decide(byTwo, report('bob', 2, 0))).toEqual(refused('already_done'));
  });

  it('T7: a part of the outcomes is recorded, and the lease goes on', () => {
    expect(after(leasedByAnn, report('ann', 1, 2))).toEqual({ ...leasedByAnn, outcomeCount: 2 });
  });

  it('T7: parts add up, and the one that brings the last item ends the task', () => {
    const part = after(leasedByAnn, report('ann', 1, 2));
    expect(after(part, report('ann', 1, 1))).toMatchObject({ status: 'done', outcomeCount: ITEMS });
  });

  it('T7: a report that brings nothing new changes nothing', () => {
    expect(after(leasedByBob, report('ann', 1, 0))).toEqual(leasedByBob);
  });

  it('T7: a task that is done keeps no error of an earlier attempt', () => {
    const next = after(leasedByAnn, fail('ann', 1), lease('bob'), report('bob', 2, ITEMS));
    expect(next).toMatchObject({ status: 'done', error: null, errors: 1 });
  });

  it.each<[string, Task]>([
    ['is pending again', expired],
    ['is leased by another', leasedByBob],
    ['has failed in the meantime', failed],
  ])('T9: a late result is accepted when the task %s', (_state, task) => {
    expect(after(task, report('ann', 1, ITEMS))).toEqual({
      ...task,
      status: 'done',
      assignedWorker: 'ann',
      leaseUntil: null,
      outcomeCount: ITEMS,
      expiries: 0,
      error: null,
    });
  });

  it.each<[string, Task]>([
    ['is pending again', expired],
    ['is leased by another, who keeps the lease', leasedByBob],
    ['has failed, which it still has', failed],
  ])('T9: a late part of the outcomes is recorded when the task %s', (_state, task) => {
    expect(after(task, report('ann', 1, 1))).toEqual({ ...task, outcomeCount: 1, expiries: 0 });
  });

  it.each<[string, Task]>([
    ['pending', expired],
    ['leased', leasedByAnn],
    ['failed', failed],
  ])('T9: a cancelled job refuses the result of a task that is %s, and says so', (_state, task) => {
    expect(decide(cancel(task), report('ann', 1, ITEMS))).toEqual(refused('job_cancelled'));
  });

  it('T7: a result for a task that is done is a second one, whatever became of its job', () => {
    expect(decide(cancel(done), report('ann', 1, ITEMS))).toEqual(refused('already_done'));
  });

  it.each<[string, Task, number]>([
    ['none was granted yet', fresh, 1],
    ['it is one too high', leasedByAnn, 2],
    ['it is zero', leasedByAnn, 0],
    ['it is negative', leasedByAnn, -1],
    ['it is one too high, though the task is done', done, 2],
    ['it is one too high, though the job is cancelled', cancel(leasedByAnn), 2],
  ])('T9: a result from a lease that was never granted is refused: %s', (_why, task, attempt) => {
    expect(decide(task, report('ann', attempt, ITEMS))).toEqual(refused('not_leased'));
  });
});

const fromAnn1: readonly TaskEvent[] = [fail('ann', 1), renew('ann', 1), release('ann', 1)];

describe.each(fromAnn1)('a stale $type', (event) => {
  it.each<[string, Task, Refusal]>([
    ['is pending again', expired, 'lease_lost'],
    ['is leased by another', leasedByBob, 'lease_lost'],
    ['is leased by the same worker anew', after(expired, lease('ann')), 'lease_lost'],
    ['is done', done, 'already_done'],
    ['has failed', failed, 'lease_lost'],
    ['was never leased', fresh, 'not_leased'],
  ])('T10: it changes nothing when the task %s', (_state, task, reason) => {
    expect(decide(task, event)).toEqual(refused(reason));
  });

  it('T10: it changes nothing when the lease of that number is another worker’s', () => {
    expect(decide(after(fresh, lease('bob')), event)).toEqual(refused('lease_lost'));
  });

  it.each([0, 2])('T10: it changes nothing when no lease has the number %i', (attempt) => {
    expect(decide(leasedByAnn, { ...event, attempt } as TaskEvent)).toEqual(refused('not_leased'));
  });
});

describe('release', () => {
  it('T6: a task that is handed back is pending, and the attempt is not charged', () => {
    expect(after(leasedByAnn, release('ann', 1))).toEqual({
      ...leasedByAnn,
      status: 'pending',
      assignedWorker: null,
      leaseUntil: null,
      returns: 1,
    });
  });

  it.each(RETRY_POLICIES)('T6: handed back twenty times, a task still has three attempts (%s)', (retryOn) => {
    const turns = Array.from({ length: 20 }, (_, i) => [lease('ann'), release('ann', i + 1)]).flat();
    const returned = after(newTask(ITEMS, retryOn), ...turns);
    expect(returned).toMatchObject({ attempts: 20, returns: 20, errors: 0, expiries: 0 });
    const twoErrors = after(returned, lease('ann'), fail('ann', 21), lease('ann'), fail('ann', 22));
    expect(twoErrors.status).toBe('pending');
    expect(after(twoErrors, lease('ann'), fail('ann', 23)).status).toBe('failed');
  });
});

describe('retry', () => {
  it('T13: a failed task goes back to pending with its counters at zero and its lease number kept', () => {
    expect(after(failed, retry())).toEqual({
      ...failed,
      status: 'pending',
      errors: 0,
      expiries: 0,
      error: null,
      retryBase: 3,
    });
  });

  it.each(RETRY_POLICIES)('T13: after a retry the three attempts are counted anew (%s)', (retryOn) => {
    const threeErrors = (from: number) => [1, 2, 3].flatMap((i) => [lease('ann'), fail('ann', from + i)]);
    const again = after(newTask(ITEMS, retryOn), ...threeErrors(0), retry(), ...threeErrors(3).slice(0, -1));
    expect(again).toMatchObject({ status: 'leased', attempts: 6, errors: 2 });
    expect(after(again, fail('ann', 6)).status).toBe('failed');
    expect(after(again, fail('ann', 6), retry(), lease('ann'), fail('ann', 7)).status).toBe('pending');
  });

  it('T13: leases that were handed back before a retry are not forgiven twice', () => {
    const returned = after(fresh, lease('ann'), release('ann', 1), ...times(3, lease('ann'), expire()));
    const again = after(returned, lease('ann'), fail('ann', 5), retry());
    expect(again).toMatchObject({ attempts: 5, returns: 1, retryBase: 4 });
    const twice = after(again, lease('ann'), fail('ann', 6), lease('ann'), fail('ann', 7));
    expect(twice.status).toBe('pending');
    expect(after(twice, lease('ann'), fail('ann', 8)).status).toBe('failed');
  });

  it('T13: a task that expired ten times has ten more expiries after a retry', () => {
    const again = after(fresh, ...times(10, lease('ann'), expire()), retry());
    expect(after(again, ...times(9, lease('ann'), expire())).status).toBe('pending');
  });

  it.each<[string, Task]>([
    ['done', done],
    ['pending', after(leasedByAnn, report('ann', 1, 2), expire())],
    ['failed', after(failed, report('ann', 1, 2))],
  ])('T13: the item errors of a task that is %s are withdrawn and run again', (_state, task) => {
    expect(after(task, retry(2))).toEqual({
      ...task,
      status: 'pending',
      assignedWorker: null,
      outcomeCount: task.outcomeCount - 2,
      errors: 0,
      expiries: 0,
      error: null,
      retryBase: task.attempts,
    });
  });

  it('T13: the results of a task that is sent back stay, and only the rest is missing', () => {
    const again = after(done, retry(1), lease('bob'));
    expect(after(again, report('bob', 2, 1))).toMatchObject({ status: 'done', outcomeCount: ITEMS });
  });

  it.each<[string, Task, number, Refusal]>([
    ['pending', fresh, 0, 'nothing_to_retry'],
    ['leased', leasedByAnn, 0, 'still_leased'],
    ['leased, whatever was withdrawn', after(leasedByAnn, report('ann', 1, 1)), 1, 'still_leased'],
    ['leased in a cancelled job', cancel(leasedByAnn), 0, 'job_cancelled'],
    ['done without item errors', done, 0, 'nothing_to_retry'],
    ['done in a cancelled job', cancel(done), 1, 'job_cancelled'],
    ['failed in a cancelled job', cancel(failed), 0, 'job_cancelled'],
  ])('T13: a task is not sent back while it is %s', (_state, task, reopened, reason) => {
    expect(decide(task, retry(reopened))).toEqual(refused(reason));
  });
});

describe('cancel', () => {
  it.each([
    ['pending', fresh],
    ['leased', leasedByAnn],
    ['failed', failed],
  ])('T9: marks a task that is %s and changes nothing else', (_state, task) => {
    expect(after(task, cancelEvent())).toEqual({ ...task, cancelled: true });
  });

  it('T7: leaves a task alone that is done', () => {
    expect(decide(done, cancelEvent())).toEqual(refused('already_done'));
  });

  it('T9: changes nothing the second time', () => {
    expect(decide(cancel(fresh), cancelEvent())).toEqual(refused('job_cancelled'));
  });
});

describe('a cancelled job', () => {
  it('T9: its leases end as any other, so that workers come free', () => {
    const cancelled = cancel(leasedByAnn);
    expect(after(cancelled, release('ann', 1)).status).toBe('pending');
    expect(after(cancelled, expire()).status).toBe('pending');
    expect(after(cancelled, fail('ann', 1)).status).toBe('pending');
  });
});

it('T12: a comparison with null does not hold, as in SQL: a lease without an end never runs out', () => {
  expect(decide({ ...leasedByAnn, leaseUntil: null }, expire())).toEqual(refused('not_due'));
});

it('T12: an event that lacks what a rule reads is a bug, and is thrown', () => {
  // As a caller without types would send it.
  const incomplete: TaskEvent = JSON.parse('{"type":"lease","worker":"ann"}');
  expect(() => decide(fresh, incomplete)).toThrow(TypeError);
});
