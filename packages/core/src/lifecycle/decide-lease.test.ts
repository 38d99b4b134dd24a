import { describe, expect, it } from 'vitest';
import { after } from '../testing/after.ts';
import { bootOf, expire, fail, LEASE_MS, lease, release, renew, report, T0 } from '../testing/events.ts';
import {
  done,
  expired,
  failed,
  fresh,
  ITEMS,
  inCancelledJob,
  leasedByAnn,
  leasedByBob,
  NO_LAPSE,
  refused,
  times,
} from '../testing/sample-tasks.ts';
import { decide } from './decide.ts';
import type { Refusal, TaskEvent } from './event.ts';
import { HEARTBEAT_ALIVE_SECONDS, LEASE_SECONDS, MAX_ATTEMPTS, MAX_EXPIRIES } from './lease-terms.ts';
import { EXPIRED_TOO_OFTEN } from './rules.ts';
import { newTask, TASK_STATUSES, type Task } from './task.ts';

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
      ...NO_LAPSE,
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
  it('T2: sets the status, the end of the lease and attempts + 1 together', () => {
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
    ['pending in a cancelled job', inCancelledJob(fresh), 'job_cancelled'],
    ['leased in a cancelled job', inCancelledJob(leasedByAnn), 'job_cancelled'],
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
    expect(decide(inCancelledJob(leasedByAnn), renew('ann', 1))).toEqual(refused('job_cancelled'));
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
      lapsedWorker: 'ann',
      lapsedBoot: bootOf('ann'),
      lapsedAttempt: 1,
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

  it('T11: fails the task at the tenth expiry in a row, and its error names the expiries', () => {
    expect(MAX_EXPIRIES).toBe(10);
    const nine = after(fresh, ...times(9, lease('ann'), expire()));
    expect(nine).toMatchObject({ status: 'pending', expiries: 9, error: null });
    expect(after(nine, lease('ann'), expire())).toEqual({
      ...nine,
      ...NO_LAPSE,
      status: 'failed',
      attempts: 10,
      expiries: 10,
      error: EXPIRED_TOO_OFTEN,
    });
    expect(JSON.parse(EXPIRED_TOO_OFTEN)).toEqual({
      code: 'lease_expired_too_often',
      message:
        '10 leases in a row expired, and no report was accepted in between: see the log of the workers',
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
