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

  it('T1: a new task is pending, has no holder and counts nothing', () => {
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

  it('T3: a lease lasts 600 s, a task has 3 attempts, a heartbeat counts for 60 s', () => {
    expect({ LEASE_SECONDS, MAX_ATTEMPTS, HEARTBEAT_ALIVE_SECONDS }).toEqual({
      LEASE_SECONDS: 600,
      MAX_ATTEMPTS: 3,
      HEARTBEAT_ALIVE_SECONDS: 60,
    });
  });
});

describe('lease', () => {
  it('T2: sets the status, the end of the lease and attempts + 1 at once', () => {
    expect(after(fresh, lease('ann'))).toEqual({
      ...fresh,
      status: 'leased',
      leaseUntil: T0 + 600_000,
      attempts: 1,
      assignedWorker: 'ann',
    });
  });

  it('T2: charges the attempt of a worker that died silently', () => {
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
  ])('T4: grants no lease of a task that is %s', (_state, task, reason) => {
    expect(decide(task, lease('bob', T0 + 2 * LEASE_MS))).toEqual(refused(reason));
  });

  it('T4: grants a task to the first of two workers and refuses the second', () => {
    const first = decide(fresh, lease('ann'));
    expect(first.ok && decide(first.task, lease('bob'))).toEqual(refused('not_pending'));
  });
});

describe('renew', () => {
  it('T10: refuses a renewal in a cancelled job, so that the holder stops', () => {
    expect(decide(cancel(leasedByAnn), renew('ann', 1))).toEqual(refused('job_cancelled'));
  });

  it('T2: a renewal changes the end of the lease and nothing else', () => {
    expect(after(leasedByAnn, renew('ann', 1, T0 + 200_000))).toEqual({
      ...leasedByAnn,
      leaseUntil: T0 + 200_000 + LEASE_MS,
    });
  });

  it('T5: accepts a renewal of an overdue lease before a reclaim', () => {
    const late = T0 + LEASE_MS + 5_000;
    expect(decide(after(leasedByAnn, renew('ann', 1, late)), expire(late))).toEqual(refused('not_due'));
  });
});

describe('expire', () => {
  it('T5: sends a task whose lease has passed back to pending without a worker', () => {
    expect(expired).toEqual({
      ...leasedByAnn,
      status: 'pending',
      assignedWorker: null,
      leaseUntil: null,
      expiries: 1,
    });
  });

  it.each([
    ['one millisecond before the end of the lease', T0 + LEASE_MS - 1, false],
    ['at the end of the lease', T0 + LEASE_MS, true],
    ['long after the end of the lease', T0 + 48 * 3_600_000, true],
  ])('T5: %s, at %s ms, expires the lease: %s', (_when, now, takenBack) => {
    expect(decide(leasedByAnn, expire(now)).ok).toBe(takenBack);
  });

  it.each<[string, Task]>([
    ['pending', fresh],
    ['pending again', expired],
    ['done', done],
    ['failed', failed],
  ])('T5: changes nothing for a task that is %s, so a second reclaim has no effect', (_state, task) => {
    expect(decide(task, expire(T0 + 48 * 3_600_000))).toEqual(refused('not_due'));
  });

  it('T5: does not fail a task at three attempts for expiries alone', () => {
    expect(after(fresh, ...times(3, lease('ann'), expire())).status).toBe('pending');
  });

  it('T11: fails the task at the tenth expiry in a row, with an error that says so', () => {
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
  ])('T11: counts expiries from zero again after %s', (_event, events) => {
    const alive = after(
      newTask(ITEMS, 'errors'),
      ...times(9, lease('ann'), expire()),
      lease('bob'),
      ...events,
    );
    const since = events.length - 1; // the lease of that report may still expire
    expect(alive).toMatchObject({ status: 'pending', expiries: since });
    const again = after(alive, ...times(9 - since, lease('ann'), expire()));
    expect(again).toMatchObject({ status: 'pending', expiries: 9 });
    expect(after(again, lease('ann'), expire())).toMatchObject({
      status: 'failed',
      error: EXPIRED_TOO_OFTEN,
    });
  });

  it.each<[string, TaskEvent]>([
    ['a report without new outcomes', report('bob', 10, 0)],
    ['a renewal', renew('bob', 10)],
    ['a release', release('bob', 10)],
  ])('T11: does not reset the expiries after %s', (_event, event) => {
    const nine = after(fresh, ...times(9, lease('ann'), expire()), lease('bob'));
    expect(after(nine, event).expiries).toBe(9);
  });

  it('T11: keeps a task failed by expiries when a late outcome resets the count', () => {
    const lost = after(fresh, ...times(10, lease('ann'), expire()));
    expect(after(lost, report('ann', 4, 1))).toEqual({ ...lost, outcomeCount: 1, expiries: 0 });
  });

  it('T11: has the same bound with retry_on errors', () => {
    const nine = after(newTask(ITEMS, 'errors'), ...times(9, lease('ann'), expire()));
    expect(nine.status).toBe('pending');
    expect(after(nine, lease('ann'), expire()).status).toBe('failed');
  });
});

describe('fail', () => {
  it.each([1, 2])('T6: sends the task back to pending after an error at attempt %i', (attempt) => {
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

  it.each([3, 4, 9])('T6: fails the task after an error at attempt %i', (attempt) => {
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

  it('T6: keeps the last error', () => {
    const next = after(
      fresh,
      lease('ann'),
      fail('ann', 1, '"first"'),
      lease('ann'),
      fail('ann', 2, '"last"'),
    );
    expect(next).toMatchObject({ errors: 2, error: '"last"' });
  });

  it('T6: keeps recorded outcomes when the task fails', () => {
    const part = after(fresh, ...times(2, lease('ann'), expire()), lease('ann'), report('ann', 3, 2));
    expect(after(part, fail('ann', 3))).toMatchObject({ status: 'failed', outcomeCount: 2 });
  });

  it('T6: does not charge a released lease', () => {
    const held = after(fresh, ...times(1, lease('ann'), release('ann', 1)), lease('bob'), expire());
    const third = after(held, lease('cem'));
    expect(third.attempts).toBe(3);
    expect(after(third, fail('cem', 3)).status).toBe('pending');
    expect(after(third, fail('cem', 3), lease('cem'), fail('cem', 4)).status).toBe('failed');
  });

  it('T6: with retry_on errors, counts only errors and fails at the third', () => {
    const lost = after(newTask(ITEMS, 'errors'), ...times(5, lease('ann'), expire()));
    const second = after(lost, lease('ann'), fail('ann', 6), lease('ann'), fail('ann', 7), lease('ann'));
    expect(second).toMatchObject({ status: 'leased', attempts: 8, errors: 2 });
    expect(after(second, fail('ann', 8))).toMatchObject({ status: 'failed', errors: 3, error: ERROR });
  });

  it('T8: allows a new lease right after an error, without back-off', () => {
    const next = after(leasedByAnn, fail('ann', 1));
    expect(after(next, lease('ann', T0)).status).toBe('leased');
  });
});

describe('report', () => {
  it('T7: marks a task as done with the last result, and records the reporter as its worker', () => {
    expect(done).toEqual({ ...leasedByAnn, status: 'done', leaseUntil: null, outcomeCount: ITEMS });
  });

  it('T7: ignores a result when the task is already done, and says so', () => {
    expect(decide(done, report('ann', 1, 0))).toEqual(refused('already_done'));
    const byTwo = after(leasedByBob, report('ann', 1, ITEMS));
    expect(decide(byTwo, report('bob', 2, 0))).toEqual(refused('already_done'));
  });

  it('T7: records part of the outcomes and keeps the lease', () => {
    expect(after(leasedByAnn, report('ann', 1, 2))).toEqual({ ...leasedByAnn, outcomeCount: 2 });
  });

  it('T7: marks a task as done when partial reports cover every item', () => {
    const part = after(leasedByAnn, report('ann', 1, 2));
    expect(after(part, report('ann', 1, 1))).toMatchObject({ status: 'done', outcomeCount: ITEMS });
  });

  it('T7: changes nothing for a report without new outcomes', () => {
    expect(after(leasedByBob, report('ann', 1, 0))).toEqual(leasedByBob);
  });

  it('T7: clears the error of an earlier attempt when the task is done', () => {
    const next = after(leasedByAnn, fail('ann', 1), lease('bob'), report('bob', 2, ITEMS));
    expect(next).toMatchObject({ status: 'done', error: null, errors: 1 });
  });

  it.each<[string, Task]>([
    ['is pending again', expired],
    ['is leased by another', leasedByBob],
    ['has failed in the meantime', failed],
  ])('T9: accepts a late result when the task %s', (_state, task) => {
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
    ['is leased by another worker, which keeps its lease', leasedByBob],
    ['has failed, and stays failed', failed],
  ])('T9: records late outcomes of some items when the task %s', (_state, task) => {
    expect(after(task, report('ann', 1, 1))).toEqual({ ...task, outcomeCount: 1, expiries: 0 });
  });

  it.each<[string, Task]>([
    ['pending', expired],
    ['leased', leasedByAnn],
    ['failed', failed],
  ])('T9: refuses the result of a %s task of a cancelled job, and says so', (_state, task) => {
    expect(decide(cancel(task), report('ann', 1, ITEMS))).toEqual(refused('job_cancelled'));
  });

  it('T7: answers already_done for a done task of a cancelled job', () => {
    expect(decide(cancel(done), report('ann', 1, ITEMS))).toEqual(refused('already_done'));
  });

  it.each<[string, Task, number]>([
    ['no lease was granted yet', fresh, 1],
    ['the attempt is one too high', leasedByAnn, 2],
    ['the attempt is zero', leasedByAnn, 0],
    ['the attempt is negative', leasedByAnn, -1],
    ['the attempt is one too high, though the task is done', done, 2],
    ['the attempt is one too high, though the job is cancelled', cancel(leasedByAnn), 2],
  ])('T9: refuses a result from a lease that was never granted: %s', (_why, task, attempt) => {
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
  ])('T10: changes nothing when the task %s', (_state, task, reason) => {
    expect(decide(task, event)).toEqual(refused(reason));
  });

  it('T10: changes nothing when another worker has the lease with that attempt', () => {
    expect(decide(after(fresh, lease('bob')), event)).toEqual(refused('lease_lost'));
  });

  it.each([0, 2])('T10: changes nothing when no lease has the attempt %i', (attempt) => {
    expect(decide(leasedByAnn, { ...event, attempt } as TaskEvent)).toEqual(refused('not_leased'));
  });
});

describe('release', () => {
  it('T6: sends a released task back to pending without charging the attempt', () => {
    expect(after(leasedByAnn, release('ann', 1))).toEqual({
      ...leasedByAnn,
      status: 'pending',
      assignedWorker: null,
      leaseUntil: null,
      returns: 1,
    });
  });

  it.each(RETRY_POLICIES)('T6: keeps three attempts after twenty releases (%s)', (retryOn) => {
    const turns = Array.from({ length: 20 }, (_, i) => [lease('ann'), release('ann', i + 1)]).flat();
    const returned = after(newTask(ITEMS, retryOn), ...turns);
    expect(returned).toMatchObject({ attempts: 20, returns: 20, errors: 0, expiries: 0 });
    const twoErrors = after(returned, lease('ann'), fail('ann', 21), lease('ann'), fail('ann', 22));
    expect(twoErrors.status).toBe('pending');
    expect(after(twoErrors, lease('ann'), fail('ann', 23)).status).toBe('failed');
  });
});

describe('retry', () => {
  it('T13: sends a failed task back to pending, resets its counters and keeps its attempts', () => {
    expect(after(failed, retry())).toEqual({
      ...failed,
      status: 'pending',
      errors: 0,
      expiries: 0,
      error: null,
      retryBase: 3,
    });
  });

  it.each(RETRY_POLICIES)('T13: counts three attempts again after a retry (%s)', (retryOn) => {
    const threeErrors = (from: number) => [1, 2, 3].flatMap((i) => [lease('ann'), fail('ann', from + i)]);
    const again = after(newTask(ITEMS, retryOn), ...threeErrors(0), retry(), ...threeErrors(3).slice(0, -1));
    expect(again).toMatchObject({ status: 'leased', attempts: 6, errors: 2 });
    expect(after(again, fail('ann', 6)).status).toBe('failed');
    expect(after(again, fail('ann', 6), retry(), lease('ann'), fail('ann', 7)).status).toBe('pending');
  });

  it('T13: does not forgive released leases twice', () => {
    const returned = after(fresh, lease('ann'), release('ann', 1), ...times(3, lease('ann'), expire()));
    const again = after(returned, lease('ann'), fail('ann', 5), retry());
    expect(again).toMatchObject({ attempts: 5, returns: 1, retryBase: 4 });
    const twice = after(again, lease('ann'), fail('ann', 6), lease('ann'), fail('ann', 7));
    expect(twice.status).toBe('pending');
    expect(after(twice, lease('ann'), fail('ann', 8)).status).toBe('failed');
  });

  it('T13: counts ten expiries again after a retry', () => {
    const again = after(fresh, ...times(10, lease('ann'), expire()), retry());
    expect(after(again, ...times(9, lease('ann'), expire())).status).toBe('pending');
  });

  it.each<[string, Task]>([
    ['done', done],
    ['pending', after(leasedByAnn, report('ann', 1, 2), expire())],
    ['failed', after(failed, report('ann', 1, 2))],
  ])('T13: withdraws the item errors of a %s task', (_state, task) => {
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

  it('T13: keeps the results of a retried task', () => {
    const again = after(done, retry(1), lease('bob'));
    expect(after(again, report('bob', 2, 1))).toMatchObject({ status: 'done', outcomeCount: ITEMS });
  });

  it.each<[string, Task, number, Refusal]>([
    ['pending', fresh, 0, 'nothing_to_retry'],
    ['leased', leasedByAnn, 0, 'still_leased'],
    ['leased, even with withdrawn errors', after(leasedByAnn, report('ann', 1, 1)), 1, 'still_leased'],
    ['leased in a cancelled job', cancel(leasedByAnn), 0, 'job_cancelled'],
    ['done without item errors', done, 0, 'nothing_to_retry'],
    ['done in a cancelled job', cancel(done), 1, 'job_cancelled'],
    ['failed in a cancelled job', cancel(failed), 0, 'job_cancelled'],
  ])('T13: does not retry a task that is %s', (_state, task, reopened, reason) => {
    expect(decide(task, retry(reopened))).toEqual(refused(reason));
  });
});

describe('cancel', () => {
  it.each([
    ['pending', fresh],
    ['leased', leasedByAnn],
    ['failed', failed],
  ])('T9: marks a %s task as cancelled and changes nothing else', (_state, task) => {
    expect(after(task, cancelEvent())).toEqual({ ...task, cancelled: true });
  });

  it('T7: changes nothing for a done task', () => {
    expect(decide(done, cancelEvent())).toEqual(refused('already_done'));
  });

  it('T9: changes nothing for a cancelled task', () => {
    expect(decide(cancel(fresh), cancelEvent())).toEqual(refused('job_cancelled'));
  });
});

describe('a cancelled job', () => {
  it('T9: lets its leases expire like any other', () => {
    const cancelled = cancel(leasedByAnn);
    expect(after(cancelled, release('ann', 1)).status).toBe('pending');
    expect(after(cancelled, expire()).status).toBe('pending');
    expect(after(cancelled, fail('ann', 1)).status).toBe('pending');
  });
});

it('T12: treats a comparison with null as false, as SQL does', () => {
  expect(decide({ ...leasedByAnn, leaseUntil: null }, expire())).toEqual(refused('not_due'));
});

it('T12: throws when an event lacks a field that a rule reads', () => {
  // A caller without types could send this.
  const incomplete: TaskEvent = JSON.parse('{"type":"lease","worker":"ann"}');
  expect(() => decide(fresh, incomplete)).toThrow(TypeError);
});
