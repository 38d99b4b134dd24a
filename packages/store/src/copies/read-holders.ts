import { sql } from 'drizzle-orm';
import { jobs, jobTallies, tasks, workers } from '../database/schema.ts';
import { statement } from '../database/statement.ts';

export interface HolderRow {
  readonly worker: string;
  readonly job_type: string;
  readonly model: string;
  readonly unfinished_items: number;
  readonly items_per_second: number | null;
  readonly slots: number | null;
  readonly seconds_since_progress: number;
  readonly silent_seconds: number | null;
}

/**
 * Reads who holds tasks of these work kinds, how many unfinished items, and each holder's reported rate. Both
 * arguments have an element for each work kind.
 */
export const readHolders = statement<{ jobTypes: readonly string[]; models: readonly string[] }, HolderRow>(
  (arg) => sql`
  with held as materialized (
    select ${tasks.assignedWorker} as worker, ${jobs.jobType}, ${jobs.model},
      sum(${tasks.itemCount} - ${tasks.outcomeCount})::int as unfinished_items, array_agg(distinct ${jobs.id}) as job_ids
    from ${tasks} join ${jobs} on ${jobs.id} = ${tasks.jobId}
    join unnest(${arg.jobTypes('text[]')}, ${arg.models('text[]')}) as kind (job_type, model)
      on kind.job_type = ${jobs.jobType} and kind.model = ${jobs.model}
    where ${tasks.status} = 'leased' and not ${tasks.cancelled}
    group by 1, 2, 3
  )
  select held.worker, held.job_type, held.model, held.unfinished_items,
    (select max(rate.items_per_second) from jsonb_to_recordset(${workers.rates}::jsonb)
      as rate (job_type text, model text, items_per_second float8)
      where rate.job_type = held.job_type and rate.model = held.model) as items_per_second,
    nullif(${workers.concurrency}, 0) as slots,
    extract(epoch from now() - (select max(${jobTallies.lastAt}) from ${jobTallies}
      where ${jobTallies.workerId} = held.worker and ${jobTallies.jobId} = any(held.job_ids)))::float8 as seconds_since_progress,
    extract(epoch from now() - ${workers.lastHeartbeatAt})::float8 as silent_seconds
  from held left join ${workers} on ${workers.id} = held.worker`,
);
