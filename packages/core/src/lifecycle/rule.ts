import type { Task } from './task.ts';

/** A field that some event carries. */
export type EventField = 'worker' | 'boot' | 'leaseMs' | 'attempt' | 'recorded' | 'error' | 'reopened';

/**
 * A value that a rule refers to. `decide` looks it up in a task and an event; the
 * store writes it as SQL. Covers only what the lifecycle needs: fields, constants, sums and the clock.
 */
export type Operand =
  | { readonly kind: 'task'; readonly field: keyof Task }
  | { readonly kind: 'event'; readonly field: EventField }
  | { readonly kind: 'constant'; readonly value: string | number | boolean | null }
  | { readonly kind: 'plus' | 'minus'; readonly left: Operand; readonly right: Operand }
  | { readonly kind: 'now' }
  /** The time `ms` milliseconds from now. */
  | { readonly kind: 'later'; readonly ms: Operand };

export type Condition =
  | {
      readonly kind: 'compare';
      readonly op: '=' | '<>' | '<' | '<=' | '>=';
      readonly left: Operand;
      readonly right: Operand;
    }
  | { readonly kind: 'oneOf'; readonly operand: Operand; readonly values: readonly string[] };

/** If all conditions of `when` hold, the fields in `becomes` change. The other fields keep their values. */
export interface Rule {
  readonly when: readonly Condition[];
  readonly becomes: { readonly [Field in keyof Task]?: Operand };
}

export const task = (field: keyof Task): Operand => ({ kind: 'task', field });
export const event = (field: EventField): Operand => ({ kind: 'event', field });
export const constant = (value: string | number | boolean | null): Operand => ({ kind: 'constant', value });
export const plus = (left: Operand, right: Operand): Operand => ({ kind: 'plus', left, right });
export const minus = (left: Operand, right: Operand): Operand => ({ kind: 'minus', left, right });
export const now: Operand = { kind: 'now' };
export const later = (ms: Operand): Operand => ({ kind: 'later', ms });

export const is = (left: Operand, right: Operand): Condition => ({ kind: 'compare', op: '=', left, right });
export const isNot = (left: Operand, right: Operand): Condition => ({
  kind: 'compare',
  op: '<>',
  left,
  right,
});
export const below = (left: Operand, right: Operand): Condition => ({
  kind: 'compare',
  op: '<',
  left,
  right,
});
export const atMost = (left: Operand, right: Operand): Condition => ({
  kind: 'compare',
  op: '<=',
  left,
  right,
});
export const atLeast = (left: Operand, right: Operand): Condition => ({
  kind: 'compare',
  op: '>=',
  left,
  right,
});
export const oneOf = (operand: Operand, values: readonly string[]): Condition => ({
  kind: 'oneOf',
  operand,
  values,
});
