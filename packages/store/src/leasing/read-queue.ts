import { sql } from 'drizzle-orm';
import { jobs, jobTallies, workers } from '../database/schema.ts';
import { type NoArguments, statement } from '../database/statement.ts';
import { jobIsOpen } from '../jobs/open-job.ts';
import type { ScheduledJobRow } from '../jobs/scheduled-job.ts';
import { takesWork } from '../workers/pause.ts';

export interface QueuedJobRow extends ScheduledJobRow {
  /** Errors of items and of tasks, as reported. */
  readonly errors: number;
  /** The database's clock in milliseconds since the epoch. */
  readonly now_ms: number;
}

/** Reads the open jobs that have pending tasks, from their tallies. */
export const readQueuedJobs = statement<NoArguments, QueuedJobRow>(
  () => sql`
  select ${jobs.id}, ${jobs.jobType}, ${jobs.model}, ${jobs.shardSize}, ${jobs.priority},
    (${jobs.itemCount} - coalesce(sum(${jobTallies.itemsOk} + ${jobTallies.itemsError} + ${jobTallies.itemsFailed}), 0))::int as items_left,
    coalesce(sum(${jobTallies.pending}), 0)::int as pending_tasks,
    -- Without the control plane's own row, which subtracts the errors that a person has retried.
    coalesce(sum(${jobTallies.itemsError} + ${jobTallies.taskErrors}) filter (where ${jobTallies.workerId} <> ''), 0)::int as errors,
    (extract(epoch from coalesce(max(${jobTallies.lastLeasedAt}), ${jobs.createdAt})) * 1000)::float8 as last_served_ms,
    (extract(epoch from now()) * 1000)::float8 as now_ms
  from ${jobs} join ${jobTallies} on ${jobTallies.jobId} = ${jobs.id}
  where ${jobIsOpen}
  group by ${jobs.id}
  having sum(${jobTallies.pending}) > 0`,
);

export interface PoolRateRow {
  readonly job_type: string;
  readonly model: string;
  readonly items_per_second: number;
  /** Of the workers that have the model loaded. */
  readonly loaded_items_per_second: number;
  readonly workers: number;
}

/** Sums the reported rates of the alive workers for each work kind. */
export const readPoolRates = statement<NoArguments, PoolRateRow>(
  () => sql`
  select rate.job_type, rate.model, sum(rate.items_per_second)::float8 as items_per_second,
    coalesce(sum(rate.items_per_second) filter (where rate.loaded), 0)::float8 as loaded_items_per_second, count(*)::int as workers
  from ${workers}
  cross join lateral jsonb_to_recordset(${workers.rates}::jsonb) as rate (job_type text, model text, items_per_second float8, loaded bool)
  where ${takesWork()}
  group by rate.job_type, rate.model`,
);
