import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { items, jobs, jobTallies, results } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { addToTallies } from '../tasks/tallies.ts';
import { jobIsOpen } from './open-job.ts';

type JobsArguments = { jobs: readonly string[] };

/** Runs before the others in the same transaction: what they count must not be older than this lock. */
const lockUnfinishedJobs = statement<JobsArguments, unknown>(
  (arg) => sql`
  select from ${jobs} where ${jobs.id} = any(${arg.jobs('uuid[]')}) and ${jobs.finishedAt} is null
  order by ${jobs.id} for no key update`,
);

/**
 * Copies outcomes to the items that repeat another item of their job. Runs when a job has ended, and again when an
 * outcome came late. `offset 0` makes each outcome a lookup by primary key, even if the statistics are wrong.
 */
const fillRepeatedItems = statement<JobsArguments, unknown>(
  (arg) => sql`
  with filled as (
    insert into ${results} (job_id, seq, output, error, task_id, attempt, model_id, usage, request_id, recorded_at, reused)
    select repeat.job_id, repeat.seq, leader.output, leader.error, leader.task_id, leader.attempt, leader.model_id,
      leader.usage, leader.request_id, leader.recorded_at, true
    from ${items} as repeat
    cross join lateral (
      select * from ${results} where ${results.jobId} = repeat.job_id and ${results.seq} = repeat.leader_seq offset 0
    ) as leader
    where repeat.job_id = any(${arg.jobs('uuid[]')}) and repeat.leader_seq is not null
    order by repeat.job_id, repeat.seq
    on conflict do nothing
    returning job_id, error is null as ok
  ),
  task_change as (
    select job_id, '' as worker_id, 'done' as old_status, 'done' as new_status, 0 as granted,
      count(*) filter (where ok) as items_ok, count(*) filter (where not ok) as items_error, 0 as items_failed
    from filled group by job_id
  ),
  ${addToTallies()}
  select from task_change`,
);

const setFinishedAt = statement<JobsArguments, unknown>(
  (arg) => sql`
  update ${jobs} set finished_at = now()
  where ${jobs.id} = any(${arg.jobs('uuid[]')}) and ${jobIsOpen}
    and (select sum(pending) + sum(leased) from ${jobTallies} where ${jobTallies.jobId} = ${jobs.id}) = 0`,
);

/**
 * Records the end of these jobs, if they have ended. Two reports that end the last two tasks of a job concurrently
 * do not see each other, so every reading of a job tries again.
 */
export async function closeJobs(connections: ConnectionPools, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await connections.long.transaction(async (tx) => {
    await lockUnfinishedJobs.run(tx, { jobs: ids });
    await fillRepeatedItems.run(tx, { jobs: ids });
    await setFinishedAt.run(tx, { jobs: ids });
  });
}
