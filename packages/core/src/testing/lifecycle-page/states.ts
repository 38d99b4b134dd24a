import type { TaskEvent } from '../../lifecycle/event.ts';
import { newTask, type Task } from '../../lifecycle/task.ts';
import { after } from '../after.ts';
import { expire, fail, LEASE_MS, lease, release, report, retry, T0 } from '../events.ts';
import { inCancelledJob } from '../sample-tasks.ts';

/** The time of every event on the page, within the leases that began at T0. */
export const NOW = T0 + 60_000;
const LONG_AGO = T0 - 10 * LEASE_MS;
export const ITEMS = 10;

const expiries = (count: number): TaskEvent[] =>
  Array.from({ length: count }, () => [lease('ann', LONG_AGO), expire(LONG_AGO + LEASE_MS)]).flat();

const fresh = newTask(ITEMS, 'attempts');
const countingErrors = newTask(ITEMS, 'errors');
const failed = after(fresh, ...expiries(2), lease('bob'), fail('bob', 3));

/**
 * Tasks that the rules may treat differently, by kind. Each is reached by events. Where a task has two leases, ann had the
 * first and bob has the current one.
 */
export const STATES: Readonly<Record<string, Readonly<Record<string, Task>>>> = {
  pending: {
    new: fresh,
    'expired once': after(fresh, ...expiries(1)),
    'released once': after(fresh, lease('ann', LONG_AGO), release('ann', 1)),
    'two item errors recorded': after(fresh, lease('ann', LONG_AGO), report('ann', 1, 2), fail('ann', 1)),
  },
  leased: {
    'attempt 1': after(fresh, lease('bob')),
    'attempt 2': after(fresh, ...expiries(1), lease('bob')),
    'attempt 2, two item errors recorded': after(
      fresh,
      lease('ann', LONG_AGO),
      report('ann', 1, 2),
      fail('ann', 1),
      lease('bob'),
    ),
    'attempt 3': after(fresh, ...expiries(2), lease('bob')),
    'attempt 3, one of them released': after(
      fresh,
      lease('ann', LONG_AGO),
      release('ann', 1),
      lease('ann', LONG_AGO),
      expire(LONG_AGO + LEASE_MS),
      lease('bob'),
    ),
    'attempt 3, counting only errors': after(countingErrors, ...expiries(2), lease('bob')),
    'attempt 3 after two errors, counting only errors': after(
      countingErrors,
      lease('ann', LONG_AGO),
      fail('ann', 1),
      lease('ann', LONG_AGO),
      fail('ann', 2),
      lease('bob'),
    ),
    'attempt 4, the first since a retry': after(failed, retry(), lease('bob')),
    'attempt 2, overdue': after(fresh, ...expiries(1), lease('bob', LONG_AGO)),
    'attempt 10, overdue after nine expiries': after(fresh, ...expiries(9), lease('bob', LONG_AGO)),
  },
  done: { 'at attempt 2': after(fresh, ...expiries(1), lease('bob'), report('bob', 2, ITEMS)) },
  failed: { 'at attempt 3': failed, 'after ten expiries': after(fresh, ...expiries(10)) },
  cancelled: {
    pending: inCancelledJob(after(fresh, ...expiries(1))),
    leased: inCancelledJob(after(fresh, ...expiries(1), lease('bob'))),
    'leased, overdue': inCancelledJob(after(fresh, ...expiries(1), lease('bob', LONG_AGO))),
    done: inCancelledJob(after(fresh, ...expiries(1), lease('bob'), report('bob', 2, ITEMS))),
    failed: inCancelledJob(failed),
  },
};
