import { HEARTBEAT_ALIVE_SECONDS } from '@macbatch/core';
import { type SQL, sql } from 'drizzle-orm';
import { items, jobModels, jobs, jobTallies, models, results, tasks, workers } from '../database/schema.ts';
import { tallied } from '../tallies/add-to-tallies.ts';

export interface JobRow {
  readonly id: string;
  readonly owner: string;
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

const jobRows = (condition: SQL, limit: SQL): SQL => sql`
  select ${jobs}.*, tally.pending, tally.leased, tally.done, tally.failed, tally.leases_granted, tally.items_ok, tally.items_error,
    tally.leases_expired as lease_expired_events,
    tally.items_failed
    + case when ${jobs.repeatedCount} = 0 then 0 else (
      -- Items that repeat one whose task has failed.
      select count(*)::int from ${items} as repeat
      join ${tasks} on ${tasks.jobId} = repeat.job_id and ${tasks.status} = 'failed'
        and repeat.leader_seq >= ${tasks.firstSeq} and repeat.leader_seq < ${tasks.firstSeq} + ${tasks.itemCount}
      where repeat.job_id = ${jobs.id} and repeat.leader_seq is not null
        and not exists (select from ${results} where ${results.jobId} = repeat.job_id and ${results.seq} in (repeat.seq, repeat.leader_seq))
    ) end as items_failed
  from ${jobs}
  cross join lateral (
    select coalesce(sum(pending), 0)::int as pending, coalesce(sum(leased), 0)::int as leased,
      coalesce(sum(done), 0)::int as done, coalesce(sum(failed), 0)::int as failed,
      coalesce(sum(leases_granted), 0)::int as leases_granted,
      coalesce(sum(items_ok), 0)::int as items_ok, coalesce(sum(items_error), 0)::int as items_error,
      coalesce(sum(items_failed), 0)::int as items_failed, coalesce(sum(leases_expired), 0)::int as leases_expired
    from ${jobTallies} where ${jobTallies.jobId} = ${jobs.id}
  ) as tally
  where ${jobs.prunedAt} is null and ${condition}
  order by ${jobs.id} desc
  limit ${limit}`;

export const readJob = jobRows(sql`${jobs.id} = ${sql.placeholder('job')}::uuid`, sql`1`);

export const listJobs = jobRows(
  sql`(${sql.placeholder('owner')}::text is null or ${jobs.owner} = ${sql.placeholder('owner')}::text)
    and (${sql.placeholder('before')}::uuid is null or ${jobs.id} < ${sql.placeholder('before')}::uuid)`,
  sql`${sql.placeholder('limit')}::int`,
);

export interface JobWorkerRow {
  readonly worker_id: string;
  readonly leases_granted: number;
  readonly tasks_done: number;
  readonly tasks_failed: number;
  readonly items_ok: number;
  readonly items_error: number;
  readonly first_at: Date;
  readonly last_at: Date;
}

export const readJobWorkers = sql`
  select worker_id, leases_granted, tasks_done, tasks_failed, items_ok, items_error, first_at, last_at
  from ${jobTallies} where ${jobTallies.jobId} = ${sql.placeholder('job')}::uuid and worker_id <> '' order by worker_id`;

/** What workers that are alive offer, each combination once. */
export const aliveAdverts = sql`
  select distinct ${workers.jobTypes}, ${workers.models} from ${workers}
  where not ${workers.offline}
    and ${workers.lastHeartbeatAt} > now() - ${sql.raw(String(HEARTBEAT_ALIVE_SECONDS))} * interval '1 second'`;

export interface AdvertRow {
  readonly job_types: readonly string[];
  readonly models: readonly string[];
}

export const readJobModels = sql`
  select ${models.name}, ${models.digest} from ${jobModels} join ${models} on ${models.id} = ${jobModels.modelId}
  where ${jobModels.jobId} = ${sql.placeholder('job')}::uuid order by ${models.name}, ${models.digest}`;

/** For `closeJobs`, in the same transaction before it: its counts must not be older than this lock. */
export const lockOpenJobs = sql`
  select from ${jobs} where ${jobs.id} = any(${sql.placeholder('jobs')}::uuid[]) and ${jobs.finishedAt} is null
  order by ${jobs.id} for no key update`;

/**
 * Writes down when jobs ended. Two reports that end a job's last two tasks at once do not see each other,
 * so every reading of a job looks again.
 */
export const closeJobs = sql`
  update ${jobs} set finished_at = now()
  where ${jobs.id} = any(${sql.placeholder('jobs')}::uuid[]) and ${jobs.finishedAt} is null and ${jobs.cancelledAt} is null
    and (select sum(pending) + sum(leased) from ${jobTallies} where ${jobTallies.jobId} = ${jobs.id}) = 0
  returning ${jobs.id}::text, ${jobs.finishedAt}`;

/**
 * Gives items that repeat another of their job the outcome that this one has by now. Runs when a job has
 * ended, and again when something came late.
 */
export const fillRepeated = sql`
  with filled as (
    insert into ${results} (job_id, seq, output, error, task_id, attempt, model_id, usage, recorded_at, reused)
    select repeat.job_id, repeat.seq, leader.output, leader.error, leader.task_id, leader.attempt, leader.model_id,
      leader.usage, leader.recorded_at, true
    from ${items} as repeat
    join ${results} as leader on leader.job_id = repeat.job_id and leader.seq = repeat.leader_seq
    where repeat.job_id = any(${sql.placeholder('jobs')}::uuid[]) and repeat.leader_seq is not null
    order by repeat.job_id, repeat.seq
    on conflict do nothing
    returning job_id, error is null as ok
  ),
  moved as (
    select job_id, '' as worker_id, 'done' as was, 'done' as status, 0 as granted,
      count(*) filter (where ok) as items_ok, count(*) filter (where not ok) as items_error, 0 as items_failed
    from filled group by job_id
  ),
  ${tallied({ blameWorker: false })}
  select count(*)::int as filled from moved`;
