import { type SQL, sql } from 'drizzle-orm';
import { items, results } from '../database/schema.ts';

/** True of the items of a task. `task` names a row with the columns of `tasks`. */
export const isItemOf = (task: SQL): SQL => sql`${items.jobId} = ${task}.job_id
      and ${items.seq} >= ${task}.first_seq and ${items.seq} < ${task}.first_seq + ${task}.item_count`;

/**
 * True of an item that has an outcome. `offset 0` makes Postgres look the outcome up by its key: without it, the
 * planner may read all results into a hash.
 */
export const hasOutcome: SQL = sql`exists (
        select from ${results} where ${results.jobId} = ${items.jobId} and ${results.seq} = ${items.seq} offset 0)`;

/**
 * The items of a task that have no outcome yet, for a lateral join. `task` names a row with the columns of `tasks`.
 * The outer `offset 0` keeps the range scan inside: without it, the planner may hash the whole job.
 */
export const itemsWithoutOutcome = (task: SQL): SQL => sql`
    select ${items.seq}, ${items.itemId}, ${items.payload} from ${items}
    where ${isItemOf(task)} and (${task}.outcome_count = 0 or not ${hasOutcome})
    offset 0`;
