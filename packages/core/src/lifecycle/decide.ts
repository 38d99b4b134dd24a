import type { Refusal, TaskEvent, TaskEventType } from './event.ts';
import type { Condition, Operand } from './rule.ts';
import { RULES } from './rules.ts';
import type { Task } from './task.ts';

export type Decision =
  | { readonly ok: true; readonly task: Task }
  | { readonly ok: false; readonly reason: Refusal };

type Value = string | number | boolean | null;

function operandValue(operand: Operand, task: Task, event: TaskEvent): Value {
  switch (operand.kind) {
    case 'task':
      return task[operand.field];
    case 'event':
      return eventValue(event, operand.field);
    case 'constant':
      return operand.value;
    case 'plus':
      return numberOf(operand.left, task, event) + numberOf(operand.right, task, event);
    case 'minus':
      return numberOf(operand.left, task, event) - numberOf(operand.right, task, event);
    case 'now':
      return eventValue(event, 'now');
    case 'later':
      return Number(eventValue(event, 'now')) + numberOf(operand.ms, task, event);
  }
}

function eventValue(event: TaskEvent, field: string): Value {
  const value: unknown = Reflect.get(event, field);
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new TypeError(`a rule reads ${field}, which a ${event.type} event does not carry`);
}

function numberOf(operand: Operand, task: Task, event: TaskEvent): number {
  return Number(operandValue(operand, task, event));
}

function holds(condition: Condition, task: Task, event: TaskEvent): boolean {
  if (condition.kind === 'oneOf') {
    return condition.values.includes(String(operandValue(condition.operand, task, event)));
  }
  const left = operandValue(condition.left, task, event);
  const right = operandValue(condition.right, task, event);
  // As in SQL, a comparison with null does not hold.
  if (left === null || right === null) return false;
  switch (condition.op) {
    case '=':
      return left === right;
    case '<>':
      return left !== right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>=':
      return left >= right;
  }
}

/** The part of an event that decides why it is refused. */
type RefusedEvent =
  | { readonly type: LeaseEventType; readonly attempt: number }
  | { readonly type: Exclude<TaskEventType, LeaseEventType> };
type LeaseEventType = 'renew' | 'report' | 'item_error' | 'fail' | 'release';

/** Says why an event that no rule accepts changes nothing. `decide` and the store both ask here. */
export function refusal(task: Pick<Task, 'status' | 'attempts' | 'cancelled'>, event: RefusedEvent): Refusal {
  switch (event.type) {
    case 'lease':
      return task.cancelled ? 'job_cancelled' : 'not_pending';
    case 'report':
      if (event.attempt < 1 || event.attempt > task.attempts) return 'not_leased';
      return task.status === 'done' ? 'already_done' : 'job_cancelled';
    case 'renew':
    case 'item_error':
    case 'fail':
    case 'release':
      if (event.attempt < 1 || event.attempt > task.attempts) return 'not_leased';
      if (task.status === 'done') return 'already_done';
      return task.cancelled && (event.type === 'renew' || event.type === 'item_error')
        ? 'job_cancelled'
        : 'lease_lost';
    case 'copy':
      return task.cancelled ? 'job_cancelled' : 'not_leased';
    case 'expire':
    case 'lose_copy':
      return 'not_due';
    case 'retry':
      if (task.cancelled) return 'job_cancelled';
      return task.status === 'leased' ? 'still_leased' : 'nothing_to_retry';
    case 'cancel':
      return task.status === 'done' ? 'already_done' : 'job_cancelled';
  }
}

/**
 * Applies an event to a task: returns the next task, or the reason why nothing changes. Pure: the clock is the
 * event's `now`. Any lease number up to `attempts` counts as granted; the caller checks that the reporting worker
 * really had that lease.
 *
 * The control plane does not call this function. It runs the same rules as SQL, and the store's tests prove that
 * SQL against this reference (`packages/store/src/lifecycle`). Throws for an event of an unknown type, or without a
 * field that its type requires.
 */
export function decide(task: Task, event: TaskEvent): Decision {
  if (!Object.hasOwn(RULES, event.type))
    throw new TypeError(
      `"${event.type}" is not an event of a task: there are ${Object.keys(RULES).join(', ')}`,
    );
  const rule = RULES[event.type].find(({ when }) => when.every((condition) => holds(condition, task, event)));
  if (rule === undefined) return { ok: false, reason: refusal(task, event) };
  const changes = Object.entries(rule.becomes).map(([field, operand]) => [
    field,
    operandValue(operand, task, event),
  ]);
  return { ok: true, task: { ...task, ...Object.fromEntries(changes) } };
}
