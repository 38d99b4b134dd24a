import { HEARTBEAT_ALIVE_SECONDS } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { jobTallies, workers } from '../schema.ts';

export interface ConductRow {
  readonly job_id: string;
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

/** What each worker has made of these jobs, by their tallies. */
export const conductInJobs = sql`
  select ${jobTallies.jobId}, ${jobTallies.workerId}, ${jobTallies.itemsOk}, ${jobTallies.itemsError} + ${jobTallies.taskErrors} as errors,
    ${workers.bootId}, coalesce(${workers.offline}, false) as offline,
    extract(epoch from now() - greatest(${jobTallies.lastAt}, ${workers.lastHeartbeatAt}))::float8 as silent_seconds,
    extract(epoch from now() - ${jobTallies.lastLeasedAt})::float8 as rested_seconds
  from ${jobTallies} left join ${workers} on ${workers.id} = ${jobTallies.workerId}
  where ${jobTallies.jobId} = any(${sql.placeholder('jobs')}::uuid[]) and ${jobTallies.workerId} <> ''`;

export interface AliveRow {
  readonly id: string;
  readonly job_types: readonly string[];
  readonly models: readonly string[];
}

/** W2: the workers that are alive, and what they offer. */
export const aliveWorkers = sql`
  select ${workers.id}, ${workers.jobTypes}, ${workers.models} from ${workers}
  where not ${workers.offline} and ${workers.lastHeartbeatAt} > now() - ${sql.raw(String(HEARTBEAT_ALIVE_SECONDS))} * interval '1 second'`;
