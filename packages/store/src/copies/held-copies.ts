import { type SQL, sql } from 'drizzle-orm';
import { copies, items } from '../database/schema.ts';
import { hasOutcome } from '../tasks/task-items.ts';

/**
 * A common table expression `copied`: changes the open copies of `worker` among the `locked` tasks that `only`
 * accepts, and returns their positions.
 */
export const changeCopies = (worker: SQL, set: SQL, only: SQL): SQL => sql`
  copied as (
    update ${copies} set ${set} from locked
    where ${copies.taskId} = locked.id and ${copies.attempt} = locked.reported_attempt and ${copies.workerId} = ${worker}
      and ${copies.ended} is null and ${only}
    returning locked.position
  )`;

/** Selects the answer of a statement over `locked` tasks. A lease is changed if `changed` or `copied` contains it. */
export const answerForLeasesAndCopies = (moreColumns: SQL): SQL => sql`
  select locked.position, locked.status as old_status,
    coalesce(changed.status, case when locked.position in (select position from copied) then locked.status end) as new_status,
    locked.attempts, locked.cancelled or locked.job_cancelled as cancelled, locked.job_id${moreColumns}
  from locked left join changed on changed.position = locked.position`;

/**
 * The ids of the copied items of a lease that have an outcome, as an array, or null: neither the holder nor the
 * copier needs to run them. `row` names a row with `id`, `job_id` and `reported_attempt`.
 *
 * `offset 0` makes Postgres go from the copies to the items to the results. Without it, a session that planned this
 * statement for a small job joins all items of a large job with all its results, for each lease that is renewed.
 */
export const itemsRecordedElsewhere = (row: SQL): SQL => sql`
  (select array_agg(distinct recorded.item_id) from ${copies}
    cross join lateral (
      select ${items.itemId} from ${items}
      where ${items.jobId} = ${row}.job_id and ${items.seq} >= ${copies.firstSeq} and ${items.seq} < ${copies.endSeq}
        and ${hasOutcome}
      offset 0
    ) as recorded
    where ${copies.taskId} = ${row}.id and ${copies.attempt} = ${row}.reported_attempt)`;
