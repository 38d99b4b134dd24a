import { describe, expect, it } from 'vitest';
import { after } from '../testing/after.ts';
import {
  bootOf,
  cancel,
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
  T0,
} from '../testing/events.ts';
import {
  expired,
  fresh,
  ITEMS,
  inCancelledJob,
  leasedByAnn,
  NO_LAPSE,
  refused,
  times,
} from '../testing/sample-tasks.ts';
import { decide } from './decide.ts';
import type { TaskEvent } from './event.ts';
import { MAX_EXPIRIES } from './lease-terms.ts';
import type { Task } from './task.ts';

const resumedAt = T0 + 2 * LEASE_MS;
const resumed = after(expired, renew('ann', 1, resumedAt));

describe('renewal of a lapsed lease', () => {
  it('T14: makes the task leased again, without a new attempt', () => {
    expect(resumed).toEqual({
      ...leasedByAnn,
      leaseUntil: resumedAt + LEASE_MS,
      attempts: 1,
      expiries: 0,
    });
  });

  it.each<[string, TaskEvent]>([
    ['another boot of the worker', renew('ann', 1, T0, 'other-boot')],
    ['another worker', renew('bob', 1, T0, bootOf('ann'))],
    ['another worker with its own boot', renew('bob', 1)],
  ])('T14: is refused from %s', (_sender, event) => {
    expect(decide(expired, event)).toEqual(refused('lease_lost'));
  });

  it('T14: is refused from an earlier attempt', () => {
    const again = after(expired, lease('ann'), expire());
    expect(decide(again, renew('ann', 1))).toEqual(refused('lease_lost'));
    expect(after(again, renew('ann', 2)).status).toBe('leased');
  });

  it('T14: is refused in a cancelled job', () => {
    expect(decide(after(expired, cancel()), renew('ann', 1))).toEqual(refused('job_cancelled'));
    expect(decide({ ...expired, cancelled: true }, renew('ann', 1))).toEqual(refused('job_cancelled'));
  });

  it.each<[string, Task]>([
    ['a lease', after(expired, lease('bob'))],
    ['a lease and an expiry', after(expired, lease('bob'), expire(T0 + LEASE_MS, 'bob'))],
    ['a lease and an error', after(expired, lease('bob'), fail('bob', 2))],
    ['a lease and a release', after(expired, lease('bob'), release('bob', 2))],
    ['a retry', after(leasedByAnn, report('ann', 1, 1), expire(), retry(1))],
    ['a failure', after(expired, lease('bob'), fail('bob', 2), lease('cem'), fail('cem', 3))],
  ])('T14: is refused after %s', (_event, task) => {
    expect(decide(task, renew('ann', 1))).toEqual(refused('lease_lost'));
  });

  it('T14: is refused after a late result has ended the task', () => {
    const done = after(expired, report('ann', 1, ITEMS));
    expect(done).toMatchObject(NO_LAPSE);
    expect(decide(done, renew('ann', 1))).toEqual(refused('already_done'));
  });

  it.each<[string, TaskEvent]>([
    ['a report of some items', report('ann', 1, 1)],
    ['a report without new outcomes', report('ann', 1, 0)],
    ['a late report of another worker', report('ann', 1, 2)],
    ['the loss of a copy', loseCopy()],
  ])('T14: is accepted after %s, which does not lease the task', (_event, event) => {
    const reported = after(expired, event);
    expect(reported.status).toBe('pending');
    expect(after(reported, renew('ann', 1)).status).toBe('leased');
  });

  it.each<TaskEvent>([fail('ann', 1), release('ann', 1)])('T14: a $type from it changes nothing', (event) => {
    expect(decide(expired, event)).toEqual(refused('lease_lost'));
  });

  it('T14: allows the lease to expire and to be resumed any number of times', () => {
    const often = after(resumed, ...times(3 * MAX_EXPIRIES, expire(resumedAt + LEASE_MS), renew('ann', 1)));
    expect(often).toMatchObject({ status: 'leased', attempts: 1, expiries: 0 });
  });

  it('T14: uncounts its own expiry and no other', () => {
    const third = after(fresh, ...times(3, lease('ann'), expire()));
    expect(third.expiries).toBe(3);
    expect(after(third, renew('ann', 3)).expiries).toBe(2);
    expect(after(third, report('ann', 3, 1), renew('ann', 3)).expiries).toBe(0);
  });

  it('T11: fails at the tenth expiry, which cannot be resumed', () => {
    const ten = after(fresh, ...times(MAX_EXPIRIES, lease('ann'), expire()));
    expect(decide(ten, renew('ann', MAX_EXPIRIES))).toEqual(refused('lease_lost'));
  });
});

describe('an item error', () => {
  it.each<[string, Task]>([
    ['the current lease', leasedByAnn],
    ['a lapsed lease', expired],
    ['a resumed lease', resumed],
  ])('T10: counts from %s, and changes nothing by itself', (_lease, task) => {
    expect(after(task, itemError('ann', 1))).toEqual(task);
  });

  it.each<[string, Task]>([
    ['leased', inCancelledJob(leasedByAnn)],
    ['lapsed', inCancelledJob(expired)],
  ])('T10: is dropped in a cancelled job, %s', (_state, task) => {
    expect(decide(task, itemError('ann', 1))).toEqual(refused('job_cancelled'));
  });
});
