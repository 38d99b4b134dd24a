import { isDeepStrictEqual } from 'node:util';
import {
  type Condition,
  type EventField,
  type Operand,
  RULES,
  type Rule,
  type Task,
  type TaskEventType,
} from '@macbatch/core';
import { type SQL, sql } from 'drizzle-orm';
import { tasks } from './schema.ts';

/** The SQL of each event field that the rules read. */
export type EventSql = { readonly [Field in EventField]?: SQL };

// The compiler from core's rules to SQL. No other file knows both.

function column(field: keyof Task, row: SQL): SQL {
  return sql`${row}.${sql.identifier(tasks[field].name)}`;
}

function literal(value: string | number | boolean | null): SQL {
  // Not as parameters: Postgres would not match them with the predicates of partial indexes.
  if (typeof value === 'string') return sql.raw(`'${value.replaceAll("'", "''")}'`);
  return sql.raw(String(value));
}

function operand(value: Operand, row: SQL, event: EventSql): SQL {
  switch (value.kind) {
    case 'task':
      return column(value.field, row);
    case 'event': {
      const field = event[value.field];
      if (field === undefined)
        throw new TypeError(`The statement has no SQL for the event field ${value.field}.`);
      return field;
    }
    case 'constant':
      return literal(value.value);
    case 'plus':
      return sql`(${operand(value.left, row, event)} + ${operand(value.right, row, event)})`;
    case 'minus':
      return sql`(${operand(value.left, row, event)} - ${operand(value.right, row, event)})`;
    case 'now':
      return sql`now()`;
    case 'later':
      return sql`(now() + ${operand(value.ms, row, event)} * interval '1 millisecond')`;
  }
}

function condition(value: Condition, row: SQL, event: EventSql): SQL {
  if (value.kind === 'oneOf') {
    const left = operand(value.operand, row, event);
    const [first, ...rest] = value.values.map(literal);
    if (first !== undefined && rest.length === 0) return sql`${left} = ${first}`;
    return sql`${left} in (${sql.join(value.values.map(literal), sql`, `)})`;
  }
  return sql`${operand(value.left, row, event)} ${sql.raw(value.op)} ${operand(value.right, row, event)}`;
}

function all(rule: Rule, row: SQL, event: EventSql): SQL {
  return sql`(${sql.join(
    rule.when.map((each) => condition(each, row, event)),
    sql` and `,
  )})`;
}

/** Compiles the conditions of an event for `WHERE`: true when one of its rules accepts the task. `row` names the task's row. */
export function guard(type: TaskEventType, event: EventSql, row: SQL = sql`${tasks}`): SQL {
  return sql`(${sql.join(
    RULES[type].map((rule) => all(rule, row, event)),
    sql` or `,
  )})`;
}

/** Compiles the changes of an event for `SET`, by the first rule that accepts the task. `row` names the task's row. */
export function assignments(type: TaskEventType, event: EventSql, row: SQL = sql`${tasks}`): SQL {
  const rules = RULES[type];
  const fields = new Set(rules.flatMap((rule) => Object.keys(rule.becomes) as (keyof Task)[]));
  const sets = [...fields].map((field) => {
    const name = sql.identifier(tasks[field].name);
    const becomes = rules.map((rule) => rule.becomes[field] ?? ({ kind: 'task', field } as const));
    const [first, ...others] = becomes;
    if (first !== undefined && others.every((other) => isDeepStrictEqual(other, first))) {
      return sql`${name} = ${operand(first, row, event)}`;
    }
    const whens = rules.map((rule, i) => {
      const value = operand(becomes[i] ?? { kind: 'task', field }, row, event);
      return sql`when ${all(rule, row, event)} then ${value}`;
    });
    return sql`${name} = (case ${sql.join(whens, sql` `)} end)::${sql.raw(tasks[field].getSQLType())}`;
  });
  return sql.join(sets, sql`, `);
}
