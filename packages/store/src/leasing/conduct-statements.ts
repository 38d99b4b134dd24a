import { HEARTBEAT_ALIVE_SECONDS } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { jobs, jobTallies, workers } from '../database/schema.ts';

export interface ConductRow {
  readonly job_id: string;
  readonly job_type: string;
  readonly model: string;
  readonly worker_id: string;
  readonly items_ok: number;
  readonly errors: number;
  /** Null for a worker that sends no heartbeats. */
  readonly boot_id: string | null;
  /** It said goodbye. */
  readonly offline: boolean;
  /** Seconds since anything was heard of it. */
  readonly silent_seconds: number;
  /** Seconds since its last lease on the job; null where it has had none. */
  readonly rested_seconds: number | null;
}

/** What each worker has made of the open jobs in which something ended with an error, by their tallies. */
export const conductInJobs = sql`
  with troubled as materialized (
    select ${jobs.id}, ${jobs.jobType}, ${jobs.model} from ${jobs}
    where ${jobs.finishedAt} is null and ${jobs.cancelledAt} is null and exists (
      select from ${jobTallies}
      where ${jobTallies.jobId} = ${jobs.id} and ${jobTallies.workerId} <> '' and ${jobTallies.itemsError} + ${jobTallies.taskErrors} > 0)
  )
  select ${jobTallies.jobId}, troubled.job_type, troubled.model, ${jobTallies.workerId}, ${jobTallies.itemsOk}, ${jobTallies.itemsError} + ${jobTallies.taskErrors} as errors,
    ${workers.bootId}, coalesce(${workers.offline}, false) as offline,
    extract(epoch from now() - greatest(${jobTallies.lastAt}, ${workers.lastHeartbeatAt}))::float8 as silent_seconds,
    extract(epoch from now() - ${jobTallies.lastLeasedAt})::float8 as rested_seconds
  from troubled join ${jobTallies} on ${jobTallies.jobId} = troubled.id and ${jobTallies.workerId} <> ''
  left join ${workers} on ${workers.id} = ${jobTallies.workerId}`;

export interface AliveRow {
  readonly id: string;
  readonly job_types: readonly string[];
  readonly models: readonly string[];
}

/** W2: the workers that are alive, and what they offer. */
export const aliveWorkers = sql`
  select ${workers.id}, ${workers.jobTypes}, ${workers.models} from ${workers}
  where not ${workers.offline} and ${workers.lastHeartbeatAt} > now() - ${sql.raw(String(HEARTBEAT_ALIVE_SECONDS))} * interval '1 second'`;
