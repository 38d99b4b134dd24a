import type { ConnectionPools } from '@macbatch/connection';
import { type SQL, sql } from 'drizzle-orm';
import { assignments, guard } from '../database/rule-sql.ts';
import { events, jobs, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { closeJobs } from './close-jobs.ts';
import { readJobRow } from './job-rows.ts';
import { jobIsOpen } from './open-job.ts';

/** Tasks that one statement marks. Limits how long it holds row locks. */
const BATCH_TASKS = 5000;

/** From this statement on, no outcome of the job is recorded. */
const setCancelledAt = statement<{ job: string }, never>(
  (arg) => sql`
  with changed as (
    update ${jobs} set cancelled_at = now()
    where ${jobs.id} = ${arg.job('uuid')} and ${jobIsOpen}
    returning ${jobs.id}
  )
  insert into ${events} (kind, job_id) select 'job_cancelled', id from changed`,
);

/**
 * Marks up to `limit` tasks of each status as cancelled. Claims then do not walk over thousands of pending entries
 * that may never run, holders see the cancel in the reply to their next renewal, and failed tasks are not sent back.
 */
const cancelTasks = statement<{ job: string; limit: number }, unknown>((arg) => {
  // One select for each status: each has a partial index.
  const select = (status: SQL) => sql`(
    select ${tasks.id} from ${tasks}
    where ${tasks.jobId} = ${arg.job('uuid')} and ${tasks.status} = ${status} and not ${tasks.cancelled}
    order by ${tasks.id}
    limit ${arg.limit('int')}
    for no key update skip locked
  )`;
  return sql`
  with pending as materialized ${select(sql`'pending'`)},
  leased as materialized ${select(sql`'leased'`)},
  failed as materialized ${select(sql`'failed'`)},
  next as (select id from pending union all select id from leased union all select id from failed)
  update ${tasks} set ${assignments('cancel', {})} where ${tasks.id} = any(array(select id from next)) and ${guard('cancel', {})}
  returning ${tasks.id}`;
});

/** Cancels a job. Changes nothing when the job has ended or is cancelled. */
export async function cancelJob(connections: ConnectionPools, id: string): Promise<void> {
  const client = connections.durable;
  await closeJobs(connections, [id]); // the job may have ended unnoticed
  await setCancelledAt.run(client, { job: id });
  const [job] = await readJobRow.run(client, { job: id });
  if (job === undefined || job.cancelled_at === null) return;
  for (;;) {
    const marked = await cancelTasks.run(client, { job: id, limit: BATCH_TASKS });
    if (marked.length < BATCH_TASKS) return;
  }
}
