import { type SQL, sql } from 'drizzle-orm';
import type { Placeholders } from '../database/arguments.ts';
import { items, results, tasks } from '../database/schema.ts';
import { type Statement, statement } from '../database/statement.ts';
import { hasOutcome } from '../tasks/task-items.ts';

export type SeqArguments = { job: string; after: number; limit: number };
export interface SeqRow {
  readonly seq: number;
}

const outcomes = (arg: Placeholders<SeqArguments>, condition: SQL): SQL => sql`
  select ${results.seq} from ${results}
  where ${results.jobId} = ${arg.job('uuid')} and ${condition} and ${results.seq} > ${arg.after('int')}
  order by ${results.seq} limit ${arg.limit('int')}`;

/**
 * The items without an outcome of some tasks, which `chosen` selects. Reads one task more than the page has items: of
 * the first one, all items can be before the page. Every other task has at least one.
 */
const itemsOfTasks = (arg: Placeholders<SeqArguments>, chosen: SQL): SQL => sql`
  select item.seq
  from (
    select * from (${chosen}) as chosen where first_seq + item_count > ${arg.after('int')} + 1
    order by first_seq limit ${arg.limit('int')} + 1
  ) as task
  cross join lateral (
    select ${items.seq} from ${items}
    where ${items.jobId} = ${arg.job('uuid')} and ${items.seq} >= task.first_seq and ${items.seq} < task.first_seq + task.item_count
      and ${items.seq} > ${arg.after('int')} and not ${hasOutcome}
    offset 0
  ) as item
  order by item.seq limit ${arg.limit('int')}`;

const tasksOf = (job: SQL, condition: SQL): SQL => sql`
    select ${tasks.firstSeq}, ${tasks.itemCount} from ${tasks} where ${tasks.jobId} = ${job} and ${condition}`;

/**
 * The positions of the next items in a state, each found by an index that holds little else. Not for open and failed
 * items of a job that is cancelled or has repeated items: no such index has these.
 */
export const itemSeqs: Readonly<Record<'ok' | 'error' | 'failed' | 'open', Statement<SeqArguments, SeqRow>>> =
  {
    ok: statement((arg) => outcomes(arg, sql`${results.error} is null`)),
    error: statement((arg) => outcomes(arg, sql`${results.error} is not null`)),
    failed: statement((arg) => itemsOfTasks(arg, tasksOf(arg.job('uuid'), sql`${tasks.status} = 'failed'`))),
    open: statement((arg) =>
      itemsOfTasks(
        arg,
        sql`${tasksOf(arg.job('uuid'), sql`${tasks.status} = 'pending' and not ${tasks.cancelled}`)}
      union all ${tasksOf(arg.job('uuid'), sql`${tasks.status} = 'leased'`)}`,
      ),
    ),
  };

/** The positions of the next items without an outcome of these tasks, which must have failed. */
export const seqsOfTasks = statement<SeqArguments & { taskIds: readonly string[] }, SeqRow>((arg) =>
  itemsOfTasks(
    arg,
    tasksOf(
      arg.job('uuid'),
      sql`${tasks.status} = 'failed' and ${tasks.id} = any(${arg.taskIds('bigint[]')})`,
    ),
  ),
);

/** Finds items whose ids begin with a text, by the index of the ids. They come in no order. */
export const seqsByPrefix = statement<{ job: string; prefix: string; limit: number }, SeqRow>(
  (arg) => sql`
  with found as materialized (
    select ${items.itemId} from ${items}
    where ${items.jobId} = ${arg.job('uuid')} and starts_with(${items.itemId}, ${arg.prefix('text')})
    limit ${arg.limit('int')}
  )
  select ${items.seq} from ${items}
  where ${items.jobId} = ${arg.job('uuid')} and ${items.itemId} = any(array(select item_id from found))`,
);
