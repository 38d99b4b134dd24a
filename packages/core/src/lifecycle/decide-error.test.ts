import { describe, expect, it } from 'vitest';
import { after } from '../testing/after.ts';
import { ERROR, expire, fail, lease, release, report, T0 } from '../testing/events.ts';
import { fresh, ITEMS, leasedByAnn, times } from '../testing/sample-tasks.ts';
import { decide } from './decide.ts';
import type { TaskEvent } from './event.ts';
import { newTask, RETRY_POLICIES } from './task.ts';

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

it('decide: names the events when a type is unknown', () => {
  const unknown = JSON.parse('{"type":"toString","now":0}') as TaskEvent;
  expect(() => decide(fresh, unknown)).toThrow(
    '"toString" is not an event of a task: there are lease, renew, report,',
  );
});
