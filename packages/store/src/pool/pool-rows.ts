import { sql } from 'drizzle-orm';
import { copies, jobs, jobTallies, leases, tasks, workers } from '../database/schema.ts';
import { type NoArguments, statement } from '../database/statement.ts';
import { jobIsOpen } from '../jobs/open-job.ts';
import type { ScheduledJobRow } from '../jobs/scheduled-job.ts';
import { isPaused } from '../workers/pause.ts';

export interface OpenJobRow extends ScheduledJobRow {
  readonly owner: string;
  /** Without the items that repeat others. */
  readonly items_to_run: number;
  /** Workers that lost a lease of the job because it expired. */
  readonly lost_by: readonly string[];
}

/** Reads the jobs that have unfinished tasks, from their tallies. */
export const readOpenJobs = statement<NoArguments, OpenJobRow>(
  () => sql`
  select ${jobs.id}, ${jobs.owner}, ${jobs.jobType}, ${jobs.model}, ${jobs.shardSize}, ${jobs.priority}, tally.items_left,
    greatest(0, tally.items_left - ${jobs.repeatedCount}) as items_to_run, tally.pending_tasks, tally.last_served_ms, tally.lost_by
  from ${jobs}
  cross join lateral (
    select (${jobs.itemCount} - coalesce(sum(items_ok + items_error + items_failed), 0))::int as items_left,
      coalesce(sum(pending), 0)::int as pending_tasks,
      coalesce(sum(pending + leased), 0) as unfinished_tasks,
      (extract(epoch from coalesce(max(last_leased_at), ${jobs.createdAt})) * 1000)::float8 as last_served_ms,
      coalesce(array_agg(worker_id) filter (where leases_expired > 0), '{}') as lost_by
    from ${jobTallies} where ${jobTallies.jobId} = ${jobs.id}
  ) as tally
  where ${jobIsOpen} and tally.unfinished_tasks > 0`,
);

export interface PoolWorkerRow {
  readonly id: string;
  readonly job_types: readonly string[];
  readonly models: readonly string[];
  readonly concurrency: number;
  /** JSON. */
  readonly rates: string;
  readonly troubles: string;
  readonly offline: boolean;
  readonly paused: boolean;
  readonly last_heartbeat_at: Date;
}

export const readPoolWorkers = statement<NoArguments, PoolWorkerRow>(
  () => sql`
  select ${workers.id}, ${workers.jobTypes}, ${workers.models}, ${workers.concurrency}, ${workers.rates}, ${workers.troubles}, ${workers.offline},
    ${isPaused()} as paused, ${workers.lastHeartbeatAt}
  from ${workers} order by ${workers.id}`,
);

export interface WorkRow {
  readonly worker_id: string;
  readonly job_id: string;
  readonly job_type: string;
  readonly model: string;
  readonly tasks: number;
  readonly items: number;
  readonly oldest_seconds: number;
  readonly seconds_left: number;
}

/** Reads what workers hold, by worker and job. */
export const readHeldWork = statement<NoArguments, WorkRow>(
  () => sql`
  select held.*, ${jobs.jobType}, ${jobs.model}
  from (
    select ${tasks.assignedWorker} as worker_id, ${tasks.jobId}, count(*)::int as tasks,
      sum(greatest(0, ${tasks.itemCount} - ${tasks.outcomeCount}))::int as items,
      coalesce(greatest(0, extract(epoch from now() - min(granted.leased_at))), 0)::float8 as oldest_seconds,
      greatest(0, extract(epoch from max(${tasks.leaseUntil}) - now()))::float8 as seconds_left
    from ${tasks}
    left join lateral (
      select ${leases.leasedAt} from ${leases} where ${leases.taskId} = ${tasks.id} and ${leases.attempt} = ${tasks.attempts}
      offset 0 -- looked up by key: without this all leases may be read into a hash
    ) as granted on true
    where ${tasks.status} = 'leased' and ${tasks.assignedWorker} is not null
    group by ${tasks.assignedWorker}, ${tasks.jobId}
  ) as held
  join ${jobs} on ${jobs.id} = held.job_id
  order by held.worker_id, held.job_id`,
);

/** Reads what workers run copies of, by worker and job. */
export const readCopiedWork = statement<NoArguments, WorkRow>(
  () => sql`
  select ${copies.workerId}, ${tasks.jobId}, ${jobs.jobType}, ${jobs.model}, count(*)::int as tasks,
    sum(${copies.endSeq} - ${copies.firstSeq})::int as items,
    greatest(0, extract(epoch from now() - min(${copies.copiedAt})))::float8 as oldest_seconds,
    greatest(0, extract(epoch from max(${copies.leaseUntil}) - now()))::float8 as seconds_left
  from ${copies}
  join ${tasks} on ${tasks.id} = ${copies.taskId} and ${tasks.attempts} = ${copies.attempt} and ${tasks.status} = 'leased'
  join ${jobs} on ${jobs.id} = ${tasks.jobId}
  where ${copies.ended} is null and ${copies.leaseUntil} > now()
  group by ${copies.workerId}, ${tasks.jobId}, ${jobs.jobType}, ${jobs.model}
  order by ${copies.workerId}, ${tasks.jobId}`,
);
