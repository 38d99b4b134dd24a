import { type SQL, sql } from 'drizzle-orm';
import { items, results } from '../database/schema.ts';

/** SQL condition: the item belongs to the task. `task` names a row with the columns of `tasks`. */
export const isItemOf = (task: SQL): SQL => sql`${items.jobId} = ${task}.job_id
      and ${items.seq} >= ${task}.first_seq and ${items.seq} < ${task}.first_seq + ${task}.item_count`;

/**
 * SQL condition: the item has an outcome. `offset 0` makes Postgres look up the outcome by its key. Without it, the
 * planner may read all results into a hash table.
 */
export const hasOutcome: SQL = sql`exists (
        select from ${results} where ${results.jobId} = ${items.jobId} and ${results.seq} = ${items.seq} offset 0)`;

/**
 * Subquery for a lateral join: the items of a task that have no outcome yet. `task` names a row with the columns of
 * `tasks`. The outer `offset 0` stops the planner from merging the subquery into the outer query, where it may read
 * all items of the job into a hash table.
 */
export const itemsWithoutOutcome = (task: SQL): SQL => sql`
    select ${items.seq}, ${items.itemId}, ${items.payload} from ${items}
    where ${isItemOf(task)} and (${task}.outcome_count = 0 or not ${hasOutcome})
    offset 0`;
