import { sql } from 'drizzle-orm';
import { copies, jobs, jobTallies, leases, tasks, workers } from '../database/schema.ts';
import { faded } from '../tallies/recent-items.ts';

export interface OpenJobRow {
  readonly id: string;
  readonly owner: string;
  readonly job_type: string;
  readonly model: string;
  readonly shard_size: number;
  readonly priority: number;
  readonly items_left: number;
  /** Without those that repeat others. */
  readonly items_to_run: number;
  readonly pending_tasks: number;
  /** Milliseconds since the epoch. */
  readonly last_served_ms: number;
  /** Workers that have lost a lease of it to the clock. */
  readonly lost_by: readonly string[];
}

/** Jobs that have tasks left, held or not, by their tallies. */
export const openJobs = sql`
  select ${jobs.id}, ${jobs.owner}, ${jobs.jobType}, ${jobs.model}, ${jobs.shardSize}, ${jobs.priority}, tally.items_left,
    greatest(0, tally.items_left - ${jobs.repeatedCount}) as items_to_run, tally.pending_tasks, tally.last_served_ms, tally.lost_by
  from ${jobs}
  cross join lateral (
    select (${jobs.itemCount} - coalesce(sum(items_ok + items_error + items_failed), 0))::int as items_left,
      coalesce(sum(pending), 0)::int as pending_tasks,
      coalesce(sum(pending + leased), 0) as open_tasks,
      (extract(epoch from coalesce(max(last_leased_at), ${jobs.createdAt})) * 1000)::float8 as last_served_ms,
      coalesce(array_agg(worker_id) filter (where leases_expired > 0), '{}') as lost_by
    from ${jobTallies} where ${jobTallies.jobId} = ${jobs.id}
  ) as tally
  where ${jobs.finishedAt} is null and ${jobs.cancelledAt} is null and tally.open_tasks > 0`;

export interface PoolWorkerRow {
  readonly id: string;
  readonly job_types: readonly string[];
  readonly models: readonly string[];
  readonly concurrency: number;
  /** JSON. */
  readonly rates: string;
  readonly offline: boolean;
  readonly last_heartbeat_at: Date;
}

export const poolWorkers = sql`
  select ${workers.id}, ${workers.jobTypes}, ${workers.models}, ${workers.concurrency}, ${workers.rates}, ${workers.offline},
    ${workers.lastHeartbeatAt}
  from ${workers} order by ${workers.id}`;

export interface HeldRow {
  readonly worker_id: string;
  readonly job_id: string;
  readonly job_type: string;
  readonly model: string;
  readonly tasks: number;
  readonly items: number;
  readonly oldest_seconds: number;
  readonly seconds_left: number;
}

/** What is held, by worker and job. */
export const heldWork = sql`
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
  order by held.worker_id, held.job_id`;

/** What workers run copies of, by worker and job, in the form of `heldWork`. */
export const liveCopies = sql`
  select ${copies.workerId}, ${tasks.jobId}, ${jobs.jobType}, ${jobs.model}, count(*)::int as tasks,
    sum(${copies.endSeq} - ${copies.firstSeq})::int as items,
    greatest(0, extract(epoch from now() - min(${copies.copiedAt})))::float8 as oldest_seconds,
    greatest(0, extract(epoch from max(${copies.leaseUntil}) - now()))::float8 as seconds_left
  from ${copies}
  join ${tasks} on ${tasks.id} = ${copies.taskId} and ${tasks.attempts} = ${copies.attempt} and ${tasks.status} = 'leased'
  join ${jobs} on ${jobs.id} = ${tasks.jobId}
  where ${copies.ended} is null and ${copies.leaseUntil} > now()
  group by ${copies.workerId}, ${tasks.jobId}, ${jobs.jobType}, ${jobs.model}
  order by ${copies.workerId}, ${tasks.jobId}`;

export interface RecentRow {
  readonly worker_id: string;
  readonly faded_items: number;
  readonly since_seconds: number;
}

/** What workers have finished of a job lately. */
export const recentItems = sql`
  select worker_id, ${faded(sql`${jobTallies.recentItems}`, sql`${jobTallies.lastAt}`)}::float8 as faded_items,
    greatest(0, extract(epoch from now() - ${jobTallies.firstAt}))::float8 as since_seconds
  from ${jobTallies} where ${jobTallies.jobId} = ${sql.placeholder('job')}::uuid and worker_id <> ''`;
