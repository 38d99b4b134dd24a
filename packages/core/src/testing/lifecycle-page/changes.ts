import type { Refusal } from '../../lifecycle/event.ts';
import type { Task } from '../../lifecycle/task.ts';
import { NOW } from './states.ts';

/** Why an event changed nothing, in words. */
export const REFUSAL_NOTES: Readonly<Record<Refusal, string>> = {
  job_cancelled: 'the job is cancelled',
  already_done: 'the first result won',
  not_pending: 'another worker has the task, or it has ended',
  not_leased: 'no lease has this attempt',
  lease_lost: 'the sender does not hold the lease',
  not_due: 'no lease has passed',
  nothing_to_retry: 'nothing ended in an error',
  still_leased: 'a worker still has the task',
};

/** Lists the fields of a task that an event changed. */
export function changes(before: Task, next: Task): string {
  const step = (name: string, from: number, to: number) =>
    from === to ? [] : [`${name} ${to > from ? `+ ${to - from}` : `− ${from - to}`}`];
  const orReset = (name: string, from: number, to: number) =>
    from > 0 && to === 0 ? [`${name} 0`] : step(name, from, to);
  return [
    ...step('attempts', before.attempts, next.attempts),
    ...(next.status === 'done'
      ? ['all outcomes recorded']
      : step('outcomes', before.outcomeCount, next.outcomeCount)),
    ...step('returns', before.returns, next.returns),
    ...orReset('errors', before.errors, next.errors),
    ...orReset('expiries', before.expiries, next.expiries),
    ...(next.retryBase === before.retryBase ? [] : ['earlier attempts forgiven']),
    ...(next.leaseUntil === before.leaseUntil
      ? []
      : next.leaseUntil === null
        ? ['lease cleared']
        : [`lease until now + ${(next.leaseUntil - NOW) / 1000} s`]),
    ...(next.assignedWorker === before.assignedWorker
      ? []
      : [next.assignedWorker === null ? 'worker cleared' : 'worker = sender']),
    ...(next.lapsedAttempt === before.lapsedAttempt
      ? []
      : [next.lapsedAttempt === null ? 'lapsed lease forgotten' : 'lapsed lease remembered']),
    ...(next.cancelled === before.cancelled ? [] : ['marked as cancelled']),
    ...(next.error === before.error ? [] : [next.error === null ? 'error cleared' : 'error recorded']),
  ].join(', ');
}
