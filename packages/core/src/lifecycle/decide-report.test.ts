import { describe, expect, it } from 'vitest';
import { after } from '../testing/after.ts';
import { fail, itemError, lease, release, renew, report } from '../testing/events.ts';
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
} from '../testing/sample-tasks.ts';
import { decide } from './decide.ts';
import type { Refusal, TaskEvent } from './event.ts';
import type { Task } from './task.ts';

describe('report', () => {
  it('T7: marks a task as done with the last result, and records the reporter as its worker', () => {
    expect(done).toEqual({ ...leasedByAnn, status: 'done', leaseUntil: null, outcomeCount: ITEMS });
  });

  it('T7: ignores a result when the task is already done, and answers already_done', () => {
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
      ...NO_LAPSE,
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
  ])('T9: refuses the result of a %s task of a cancelled job, and answers job_cancelled', (_state, task) => {
    expect(decide(inCancelledJob(task), report('ann', 1, ITEMS))).toEqual(refused('job_cancelled'));
  });

  it('T7: answers already_done for a done task of a cancelled job', () => {
    expect(decide(inCancelledJob(done), report('ann', 1, ITEMS))).toEqual(refused('already_done'));
  });

  it.each<[string, Task, number]>([
    ['no lease was granted yet', fresh, 1],
    ['the attempt is one too high', leasedByAnn, 2],
    ['the attempt is zero', leasedByAnn, 0],
    ['the attempt is negative', leasedByAnn, -1],
    ['the attempt is one too high, though the task is done', done, 2],
    ['the attempt is one too high, though the job is cancelled', inCancelledJob(leasedByAnn), 2],
  ])('T9: refuses a result from a lease that was never granted: %s', (_why, task, attempt) => {
    expect(decide(task, report('ann', attempt, ITEMS))).toEqual(refused('not_leased'));
  });
});

const fromAnn1: readonly TaskEvent[] = [fail('ann', 1), release('ann', 1)];

const NOT_HELD: readonly [string, Task, Refusal][] = [
  ['is leased by another', leasedByBob, 'lease_lost'],
  ['is leased by the same worker anew', after(expired, lease('ann')), 'lease_lost'],
  ['is done', done, 'already_done'],
  ['has failed', failed, 'lease_lost'],
  ['was never leased', fresh, 'not_leased'],
];

describe.each(fromAnn1)('a stale $type', (event) => {
  it.each([...NOT_HELD, ['is pending again', expired, 'lease_lost'] as const])(
    'T10: changes nothing when the task %s',
    (_state, task, reason) => {
      expect(decide(task, event)).toEqual(refused(reason));
    },
  );
});

describe.each([renew('ann', 1), itemError('ann', 1)])('a stale $type', (event) => {
  it.each(NOT_HELD)('T10: changes nothing when the task %s', (_state, task, reason) => {
    expect(decide(task, event)).toEqual(refused(reason));
  });
});

describe.each([...fromAnn1, renew('ann', 1), itemError('ann', 1)])('a foreign $type', (event) => {
  it('T10: changes nothing when another worker has the lease with that attempt', () => {
    expect(decide(after(fresh, lease('bob')), event)).toEqual(refused('lease_lost'));
  });

  it.each([0, 2])('T10: changes nothing when no lease has the attempt %i', (attempt) => {
    expect(decide(leasedByAnn, { ...event, attempt } as TaskEvent)).toEqual(refused('not_leased'));
  });
});
