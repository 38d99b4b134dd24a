import { type SQL, sql } from 'drizzle-orm';
import { items, jobs, jobTallies, results, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';

export interface JobRow {
  readonly id: string;
  readonly owner: string;
  readonly name: string | null;
  readonly submitted_by: string | null;
  readonly job_type: string;
  readonly model: string;
  readonly params: string;
  readonly shard_size: number;
  readonly retry_on: string;
  readonly priority: number;
  readonly item_count: number;
  readonly task_count: number;
  readonly reused_count: number;
  readonly repeated_count: number;
  readonly smaller_tasks: number;
  readonly created_at: Date;
  readonly finished_at: Date | null;
  readonly cancelled_at: Date | null;
  readonly pending: number;
  readonly leased: number;
  readonly done: number;
  readonly failed: number;
  readonly leases_granted: number;
  readonly items_ok: number;
  readonly items_error: number;
  readonly items_failed: number;
  readonly lease_expired_events: number;
}

/** The sums of a job's tallies. `job` is its id. */
export const talliesOf = (job: SQL): SQL => sql`
    select coalesce(sum(pending), 0)::int as pending, coalesce(sum(leased), 0)::int as leased,
      coalesce(sum(done), 0)::int as done, coalesce(sum(failed), 0)::int as failed,
      coalesce(sum(leases_granted), 0)::int as leases_granted,
      coalesce(sum(items_ok), 0)::int as items_ok, coalesce(sum(items_error), 0)::int as items_error,
      coalesce(sum(items_failed), 0)::int as items_failed, coalesce(sum(leases_expired), 0)::int as leases_expired
    from ${jobTallies} where ${jobTallies.jobId} = ${job}`;

/** Selects jobs with their counts. `chosen` is a query of rows of `jobs`; it should return few. */
export const jobRows = (chosen: SQL): SQL => sql`
  select jobs.*, tally.pending, tally.leased, tally.done, tally.failed, tally.leases_granted, tally.items_ok, tally.items_error,
    tally.leases_expired as lease_expired_events,
    tally.items_failed
    + case when jobs.repeated_count = 0 or tally.failed = 0 then 0 else (
      -- Items that repeat one whose task has failed: a look-up for each failed task, never one for each repeat and task.
      select coalesce(sum(repeats.count), 0)::int from ${tasks}
      cross join lateral (
        select count(*) from ${items} as repeat
        where repeat.job_id = jobs.id
          and repeat.leader_seq >= ${tasks.firstSeq} and repeat.leader_seq < ${tasks.firstSeq} + ${tasks.itemCount}
          and not exists (select from ${results} where ${results.jobId} = repeat.job_id and ${results.seq} = repeat.seq offset 0)
          and not exists (select from ${results} where ${results.jobId} = repeat.job_id and ${results.seq} = repeat.leader_seq offset 0)
      ) as repeats
      where ${tasks.jobId} = jobs.id and ${tasks.status} = 'failed'
    ) end as items_failed
  from (${chosen}) as jobs
  cross join lateral (${talliesOf(sql`jobs.id`)}) as tally
  order by jobs.id desc`;

/** Reads one job with its counts. */
export const readJobRow = statement<{ job: string }, JobRow>((arg) =>
  jobRows(sql`select * from ${jobs} where ${jobs.prunedAt} is null and ${jobs.id} = ${arg.job('uuid')}`),
);
