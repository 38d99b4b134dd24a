import { type SQL, sql } from 'drizzle-orm';
import { assignments, guard } from '../database/rule-sql.ts';
import { events, jobs, tasks } from '../database/schema.ts';

/** Cancels a job; a second time changes nothing. From then on no outcome of it is recorded. */
export const cancelJob = sql`
  with changed as (
    update ${jobs} set cancelled_at = now()
    where ${jobs.id} = ${sql.placeholder('job')}::uuid and ${jobs.cancelledAt} is null and ${jobs.finishedAt} is null
    returning ${jobs.id}
  )
  insert into ${events} (kind, job_id) select 'job_cancelled', id from changed`;

/** Each status by itself, so that its partial index is used. */
const unflagged = (status: SQL) => sql`(
    select ${tasks.id} from ${tasks}
    where ${tasks.jobId} = ${sql.placeholder('job')}::uuid and ${tasks.status} = ${status} and not ${tasks.cancelled}
    order by ${tasks.id}
    limit ${sql.placeholder('limit')}::int
    for no key update skip locked
  )`;

/**
 * Flags the tasks of a cancelled job that are not done, a bounded number at a time: claims do not walk over
 * thousands of pending entries that may never run, holders learn at their next renewal, and what has
 * failed is not sent back.
 */
export const flagCancelled = sql`
  with pending as materialized ${unflagged(sql`'pending'`)},
  leased as materialized ${unflagged(sql`'leased'`)},
  failed as materialized ${unflagged(sql`'failed'`)},
  next as (select id from pending union all select id from leased union all select id from failed)
  update ${tasks} set ${assignments('cancel', {})} from next where ${tasks.id} = next.id and ${guard('cancel', {})}
  returning ${tasks.id}`;
