import type { Decision } from '../lifecycle/decide.ts';
import type { TaskEvent } from '../lifecycle/event.ts';
import { MAX_ATTEMPTS, MAX_EXPIRIES } from '../lifecycle/lease-terms.ts';
import { EXPIRED_TOO_OFTEN } from '../lifecycle/rules.ts';
import type { Task } from '../lifecycle/task.ts';
import { inCancelledJob } from './sample-tasks.ts';

/** The attempts that rule T6 counts. */
const charged = (task: Task): number => task.attempts - task.returns - task.retryBase;

/** What must hold in every reachable state of a task, named by rule. */
const OF_A_STATE: Readonly<Record<string, (task: Task) => boolean>> = {
  'T1: a task is done exactly when every item has an outcome': (task) =>
    (task.status === 'done') === (task.outcomeCount === task.itemCount),
  'T1: the number of outcomes is between 0 and the number of items': (task) =>
    task.outcomeCount >= 0 && task.outcomeCount <= task.itemCount,
  'T2: a task has a lease end exactly while it is leased': (task) =>
    (task.leaseUntil !== null) === (task.status === 'leased'),
  'T5: a task has a worker exactly while it is leased or done': (task) =>
    (task.assignedWorker !== null) === (task.status === 'leased' || task.status === 'done'),
  'T6: each error has a charged attempt': (task) =>
    task.errors >= 0 && task.expiries >= 0 && task.errors <= charged(task),
  'T6: a failed task has used its attempts, errors or expiries': (task) =>
    task.status !== 'failed' ||
    task.expiries >= MAX_EXPIRIES ||
    (task.expiries === 0 && task.error === EXPIRED_TOO_OFTEN) || // a late report has reset the expiries
    (task.errors > 0 && (task.retryOn === 'attempts' ? charged(task) : task.errors) >= MAX_ATTEMPTS),
  'T6: a failed task says why': (task) => task.status !== 'failed' || task.error !== null,
  'T6: a task that may still run has fewer errors than the limit': (task) =>
    (task.status !== 'pending' && task.status !== 'leased') || task.errors < MAX_ATTEMPTS,
  'T11: a task that may still run has fewer expiries than the limit': (task) =>
    (task.status !== 'pending' && task.status !== 'leased') || task.expiries < MAX_EXPIRIES,
  'T14: a task remembers a lapsed lease only while it is pending, and only its last one': (task) =>
    task.lapsedAttempt === null
      ? task.lapsedWorker === null && task.lapsedBoot === null
      : task.status === 'pending' &&
        task.lapsedAttempt === task.attempts &&
        task.lapsedWorker !== null &&
        task.lapsedBoot !== null,
};

function isLastHolder(task: Task, sender: { readonly worker: string; readonly attempt: number }): boolean {
  return (
    task.status === 'pending' && task.lapsedAttempt === sender.attempt && task.lapsedWorker === sender.worker
  );
}

function isHolder(task: Task, sender: { readonly worker: string; readonly attempt: number }): boolean {
  return (
    task.status === 'leased' && task.attempts === sender.attempt && task.assignedWorker === sender.worker
  );
}

/** Which events the rules must accept, written independently of rules.ts. */
function mustAccept(task: Task, event: TaskEvent): boolean {
  switch (event.type) {
    case 'lease':
      return task.status === 'pending' && !task.cancelled;
    case 'report':
      return !task.cancelled && task.status !== 'done' && event.attempt > 0 && event.attempt <= task.attempts;
    case 'renew':
      return (
        !task.cancelled &&
        (isHolder(task, event) || (isLastHolder(task, event) && task.lapsedBoot === event.boot))
      );
    case 'item_error':
      return !task.cancelled && (isHolder(task, event) || isLastHolder(task, event));
    case 'fail':
    case 'release':
      return isHolder(task, event);
    case 'copy':
      return (
        task.status === 'leased' &&
        !task.cancelled &&
        task.assignedWorker !== event.worker &&
        task.expiries < 2
      );
    case 'lose_copy':
      return (task.status === 'pending' || task.status === 'leased') && task.expiries + 1 < MAX_EXPIRIES;
    case 'expire':
      return task.status === 'leased' && task.leaseUntil !== null && task.leaseUntil <= event.now;
    case 'retry':
      return !task.cancelled && task.status !== 'leased' && (task.status === 'failed' || event.reopened > 0);
    case 'cancel':
      return !task.cancelled && task.status !== 'done';
  }
}

function expiriesAfter({ status, expiries }: Task, event: TaskEvent): number {
  if (event.type === 'renew' && status === 'pending') return Math.max(0, expiries - 1);
  if (event.type === 'expire' || event.type === 'lose_copy') return expiries + 1;
  const signOfLife = event.type === 'fail' || (event.type === 'report' && event.recorded > 0);
  return signOfLife || event.type === 'retry' ? 0 : expiries;
}

/** What must hold between a task and the next one, named by rule. */
const OF_A_STEP: Readonly<Record<string, (before: Task, event: TaskEvent, next: Task) => boolean>> = {
  'T2: a lease, and nothing else, adds one attempt': (before, event, next) =>
    next.attempts === before.attempts + (event.type === 'lease' ? 1 : 0),
  'T7: a task that is done is left alone by all but a person': (before, event) =>
    before.status !== 'done' || event.type === 'retry',
  'T7: outcomes go away only when a person withdraws them': (before, event, next) =>
    next.outcomeCount >= before.outcomeCount || event.type === 'retry',
  'T13: only a person forgives errors and attempts': (before, event, next) =>
    event.type === 'retry' || (next.errors >= before.errors && next.retryBase === before.retryBase),
  'T11: expiries count up, and any sign of life ends the row': (before, event, next) =>
    next.expiries === expiriesAfter(before, event),
  'T13: a retried task is pending and has every attempt before it': (_before, event, next) =>
    event.type !== 'retry' ||
    (next.status === 'pending' && charged(next) === 0 && next.errors === 0 && next.expiries === 0),
  'E: a copy changes nothing of the task that it copies': (before, event, next) =>
    event.type !== 'copy' || JSON.stringify(next) === JSON.stringify(before),
  'E: a lost copy costs no attempt, and the holder keeps its lease': (before, event, next) =>
    event.type !== 'lose_copy' ||
    (next.status === before.status &&
      next.attempts === before.attempts &&
      next.leaseUntil === before.leaseUntil),
  'T9: a cancel marks the task and changes nothing else': (before, event, next) =>
    event.type !== 'cancel' || JSON.stringify(next) === JSON.stringify(inCancelledJob(before)),
  'T10: an item error by itself changes nothing': (before, event, next) =>
    event.type !== 'item_error' || JSON.stringify(next) === JSON.stringify(before),
  'T14: a resumed lease has the attempt and the worker of the lapsed one': (before, event, next) =>
    event.type !== 'renew' ||
    (next.status === 'leased' &&
      next.attempts === before.attempts &&
      next.assignedWorker === (before.assignedWorker ?? before.lapsedWorker)),
  'T14: an expiry remembers its lease, unless it fails the task': (before, event, next) =>
    event.type !== 'expire' ||
    (next.lapsedWorker === before.assignedWorker && next.lapsedBoot === event.boot) ===
      (next.status === 'pending'),
  'T14: only reports, item errors and lost copies leave a lapsed lease remembered': (before, event, next) =>
    before.lapsedAttempt === null ||
    next.lapsedAttempt ===
      (['report', 'item_error', 'lose_copy'].includes(event.type) && next.status === 'pending'
        ? before.lapsedAttempt
        : null),
  'T9: only a cancel marks a task as cancelled': (before, event, next) =>
    event.type === 'cancel' || next.cancelled === before.cancelled,
  'A1: the submitted fields never change': (before, _event, next) =>
    next.itemCount === before.itemCount && next.retryOn === before.retryOn,
};

/** The rules that a decision breaks; empty if it breaks none. */
export function brokenRules(before: Task, event: TaskEvent, decision: Decision): string[] {
  if (decision.ok !== mustAccept(before, event)) {
    return [`${event.type} was ${decision.ok ? 'accepted' : `refused: ${decision.reason}`}`];
  }
  if (!decision.ok) return [];
  const ofAState = Object.entries(OF_A_STATE).filter(([, holds]) => !holds(decision.task));
  const ofAStep = Object.entries(OF_A_STEP).filter(([, holds]) => !holds(before, event, decision.task));
  return [...ofAState, ...ofAStep].map(([rule]) => rule);
}
