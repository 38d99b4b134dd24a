import type { TaskEvent, TaskEventType } from '../../lifecycle/event.ts';
import type { Task } from '../../lifecycle/task.ts';
import {
  cancel,
  copy,
  expire,
  fail,
  itemError,
  lease,
  loseCopy,
  release,
  renew,
  report,
  retry,
} from '../events.ts';
import { NOW } from './states.ts';

type Sender = (send: (worker: string, attempt: number) => TaskEvent) => (task: Task) => TaskEvent | null;

/** Who may send a report, renewal, error or release. A sender is null for tasks that cannot have it. */
const SENDERS: Readonly<Record<string, Sender>> = {
  'the holder': (send) => (task) => (task.status === 'leased' ? send('bob', task.attempts) : null),
  'the lapsed lease': (send) => (task) =>
    task.lapsedWorker === null ? null : send(task.lapsedWorker, task.attempts),
  'an earlier lease': (send) => (task) => {
    const current =
      task.status === 'leased' || task.lapsedWorker !== null ? task.attempts : task.attempts + 1;
    return current > 1 ? send('ann', current - 1) : null;
  },
  "another worker with the holder's attempt": (send) => (task) =>
    task.status === 'leased' ? send('eve', task.attempts) : null,
  'an attempt that was never leased': (send) => (task) => send('eve', task.attempts + 1),
};

const bySender = (
  send: (worker: string, attempt: number, task: Task) => TaskEvent,
  senders: readonly string[] = Object.keys(SENDERS),
): Readonly<Record<string, (task: Task) => TaskEvent | null>> =>
  Object.fromEntries(
    senders.map((name) => [
      name,
      (task: Task) => SENDERS[name]?.((worker, attempt) => send(worker, attempt, task))(task) ?? null,
    ]),
  );

/** Reports are judged by the attempt alone, so there is no separate case for another worker that reports the holder's attempt. */
const REPORTERS = ['the holder', 'the lapsed lease', 'an earlier lease', 'an attempt that was never leased'];

/** One event with the senders that may send it; each makes an event for a task. */
export interface EventSection {
  readonly summary: string;
  readonly from: Readonly<Record<string, (task: Task) => TaskEvent | null>>;
}

export const EVENTS: Readonly<Record<TaskEventType, EventSection | readonly EventSection[]>> = {
  lease: {
    summary: 'A worker claims the task.',
    from: { 'any worker': () => lease('cem', NOW) },
  },
  renew: {
    summary: 'A worker renews its lease.',
    from: {
      ...bySender((worker, attempt) => renew(worker, attempt, NOW)),
      'the worker of the lapsed lease, with another boot': (task) =>
        task.lapsedWorker === null ? null : renew(task.lapsedWorker, task.attempts, NOW, 'other-boot'),
    },
  },
  report: [
    {
      summary: 'A worker reports the outcomes of all unfinished items.',
      from: bySender(
        (worker, attempt, task) => report(worker, attempt, task.itemCount - task.outcomeCount),
        REPORTERS,
      ),
    },
    {
      summary: 'A worker reports the first outcome of one item.',
      from: bySender(
        (worker, attempt, task) => report(worker, attempt, Math.min(1, task.itemCount - task.outcomeCount)),
        REPORTERS,
      ),
    },
  ],
  item_error: {
    summary: 'A report of a worker contains an error of an item. It is recorded, or dropped with an event.',
    from: bySender((worker, attempt) => itemError(worker, attempt)),
  },
  fail: {
    summary: 'A worker reports an error of the whole task.',
    from: bySender((worker, attempt) => fail(worker, attempt, '"out of memory"')),
  },
  release: {
    summary: 'A worker hands the task back unfinished.',
    from: bySender((worker, attempt) => release(worker, attempt)),
  },
  expire: {
    summary: 'A reclaim looks at the task.',
    from: { 'the clock': () => expire(NOW) },
  },
  copy: {
    summary: 'An idle worker asks for a copy of some items.',
    from: {
      'any other worker': () => copy('cem'),
      'the holder': (task) => (task.status === 'leased' ? copy('bob') : null),
    },
  },
  lose_copy: {
    summary: 'The lease of a copy has passed.',
    from: { 'the clock': () => loseCopy() },
  },
  retry: [
    {
      summary: 'A person retries the task without withdrawing item errors.',
      from: { 'a person': () => retry(0) },
    },
    {
      summary: 'A person retries the task and withdraws two item errors.',
      from: { 'a person': (task) => (task.outcomeCount >= 2 ? retry(2) : null) },
    },
  ],
  cancel: {
    summary: 'A person cancels the job.',
    from: { 'a person': () => cancel() },
  },
};
