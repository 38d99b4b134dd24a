import { describe, expect, it } from 'vitest';
import { after } from '../testing/after.ts';
import { cancel, expire, fail, lease, release, report, retry } from '../testing/events.ts';
import {
  done,
  failed,
  fresh,
  ITEMS,
  inCancelledJob,
  leasedByAnn,
  NO_LAPSE,
  refused,
  times,
} from '../testing/sample-tasks.ts';
import { decide } from './decide.ts';
import type { Refusal, TaskEvent } from './event.ts';
import { newTask, RETRY_POLICIES, type Task } from './task.ts';

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
      ...NO_LAPSE,
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
    ['leased in a cancelled job', inCancelledJob(leasedByAnn), 0, 'job_cancelled'],
    ['done without item errors', done, 0, 'nothing_to_retry'],
    ['done in a cancelled job', inCancelledJob(done), 1, 'job_cancelled'],
    ['failed in a cancelled job', inCancelledJob(failed), 0, 'job_cancelled'],
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
    expect(after(task, cancel())).toEqual({ ...task, cancelled: true });
  });

  it('T7: changes nothing for a done task', () => {
    expect(decide(done, cancel())).toEqual(refused('already_done'));
  });

  it('T9: changes nothing for a cancelled task', () => {
    expect(decide(inCancelledJob(fresh), cancel())).toEqual(refused('job_cancelled'));
  });
});

describe('a cancelled job', () => {
  it('T9: lets its leases expire like any other', () => {
    const cancelled = inCancelledJob(leasedByAnn);
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
