import { sql } from 'drizzle-orm';
import { jobs, jobTallies, workers } from '../database/schema.ts';
import { type NoArguments, statement } from '../database/statement.ts';
import { jobIsOpen } from '../jobs/open-job.ts';
import { takesWork } from '../workers/pause.ts';

export interface HistoryRow {
  readonly job_id: string;
  readonly job_type: string;
  readonly model: string;
  readonly worker_id: string;
  readonly items_ok: number;
  readonly errors: number;
  /** Null for a worker that sends no heartbeats. */
  readonly boot_id: string | null;
  readonly offline: boolean;
  /** Seconds since its last report, lease or heartbeat. */
  readonly silent_seconds: number;
  /** Seconds since its last lease on the job; null when it has had none. */
  readonly seconds_since_lease: number | null;
}

/** Reads the tallies of all workers in the open jobs in which something ended with an error. */
export const readHistories = statement<NoArguments, HistoryRow>(
  () => sql`
  with job_with_errors as materialized (
    select ${jobs.id}, ${jobs.jobType}, ${jobs.model} from ${jobs}
    where ${jobIsOpen} and exists (
      select from ${jobTallies}
      where ${jobTallies.jobId} = ${jobs.id} and ${jobTallies.workerId} <> '' and ${jobTallies.itemsError} + ${jobTallies.taskErrors} > 0)
  )
  select ${jobTallies.jobId}, job_with_errors.job_type, job_with_errors.model, ${jobTallies.workerId}, ${jobTallies.itemsOk},
    ${jobTallies.itemsError} + ${jobTallies.taskErrors} as errors, ${workers.bootId}, coalesce(${workers.offline}, false) as offline,
    extract(epoch from now() - greatest(${jobTallies.lastAt}, ${workers.lastHeartbeatAt}))::float8 as silent_seconds,
    extract(epoch from now() - ${jobTallies.lastLeasedAt})::float8 as seconds_since_lease
  from job_with_errors join ${jobTallies} on ${jobTallies.jobId} = job_with_errors.id and ${jobTallies.workerId} <> ''
  left join ${workers} on ${workers.id} = ${jobTallies.workerId}`,
);

export interface AliveWorkerRow {
  readonly id: string;
  readonly job_types: readonly string[];
  readonly models: readonly string[];
}

/** Reads the alive workers and what they offer. */
export const readAliveWorkers = statement<NoArguments, AliveWorkerRow>(
  () =>
    sql`select ${workers.id}, ${workers.jobTypes}, ${workers.models} from ${workers} where ${takesWork()}`,
);
