import { sql } from 'drizzle-orm';
import { events, jobs, tasks } from '../schema.ts';

/** Cancels a job; a second time changes nothing. From then on no outcome of it is recorded. */
export const cancelJob = sql`
  with changed as (
    update ${jobs} set cancelled_at = now()
    where ${jobs.id} = ${sql.placeholder('job')}::uuid and ${jobs.cancelledAt} is null and ${jobs.finishedAt} is null
    returning ${jobs.id}
  )
  insert into ${events} (kind, job_id) select 'job_cancelled', id from changed`;

/**
 * Flags tasks of a cancelled job, a bounded number at a time, so that claims do not walk over thousands
 * of pending entries that may never run.
 */
export const flagCancelled = sql`
  with next as materialized (
    select ${tasks.id} from ${tasks}
    where ${tasks.jobId} = ${sql.placeholder('job')}::uuid and ${tasks.status} = 'pending' and not ${tasks.cancelled}
    order by ${tasks.id}
    limit ${sql.placeholder('limit')}::int
    for no key update skip locked
  )
  update ${tasks} set cancelled = true from next where ${tasks.id} = next.id and not ${tasks.cancelled}
  returning ${tasks.id}`;
