import type { ConnectionPools } from '@macbatch/connection';
import { isAlive, type WorkerTrouble, type WorkKind } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { jobs, jobTallies, prunedTallies, workers } from '../database/schema.ts';
import { type NoArguments, statement } from '../database/statement.ts';
import { isPausedByPerson, type PauseRow, toPause, type WorkerPause } from './pause.ts';
import { type ReportedRate, ratesFromJson, troublesFromJson, type WorkerAdvert } from './worker.ts';

interface WorkerRow extends PauseRow {
  readonly id: string;
  readonly boot_id: string;
  readonly hostname: string;
  readonly job_types: readonly string[];
  readonly models: readonly string[];
  readonly concurrency: number;
  readonly lease_limit: number;
  readonly rates: string;
  readonly troubles: string;
  readonly offline: boolean;
  readonly first_seen_at: Date;
  readonly last_heartbeat_at: Date;
  readonly now: Date;
  readonly tasks_done: number;
  readonly tasks_failed: number;
  readonly tasks_leased: number;
  readonly last_job_type: string | null;
  readonly last_model: string | null;
}

const readWorkers = statement<NoArguments, WorkerRow>(
  () => sql`
  select ${workers}.*, ${isPausedByPerson()} as paused_by_person, now() as now,
    (coalesce(sum(${jobTallies.tasksDone}), 0) + coalesce(max(${prunedTallies.tasksDone}), 0))::int as tasks_done,
    (coalesce(sum(${jobTallies.tasksFailed}), 0) + coalesce(max(${prunedTallies.tasksFailed}), 0))::int as tasks_failed,
    (select count(*)::int from tasks where tasks.status = 'leased' and tasks.assigned_worker = ${workers.id}) as tasks_leased,
    last.job_type as last_job_type, last.model as last_model
  from ${workers} left join ${jobTallies} on ${jobTallies.workerId} = ${workers.id}
  left join ${prunedTallies} on ${prunedTallies.workerId} = ${workers.id}
  left join lateral (
    -- Selects the latest tally first, so that only one of the worker's jobs is looked up.
    select ${jobs.jobType}, ${jobs.model} from ${jobs} where ${jobs.id} = (
      select recent.job_id from ${jobTallies} as recent
      where recent.worker_id = ${workers.id} and recent.last_leased_at is not null
      order by recent.last_leased_at desc limit 1)
  ) as last on true
  group by ${workers.id}, last.job_type, last.model
  order by ${workers.id}`,
);

/** A worker with its state and counters. */
export interface Worker extends Omit<WorkerAdvert, 'jobTypes' | 'rates' | 'troubles'> {
  readonly rates: readonly ReportedRate[];
  readonly troubles: readonly WorkerTrouble[];
  readonly jobTypes: readonly string[];
  readonly alive: boolean;
  readonly pause: WorkerPause | null;
  readonly firstSeenAt: Date;
  readonly lastHeartbeatAt: Date;
  readonly heartbeatAgeSeconds: number;
  readonly tasksLeased: number;
  readonly tasksDone: number;
  readonly tasksFailed: number;
  /** The work kind of its last lease. */
  readonly lastRan: WorkKind | null;
}

/** Reads all workers, in the order of their ids. */
export async function listWorkers(connections: ConnectionPools): Promise<Worker[]> {
  return (await readWorkers.run(connections.durable)).map(toWorker);
}

function toWorker(row: WorkerRow): Worker {
  const nowMs = row.now.getTime();
  const lastHeartbeatMs = row.last_heartbeat_at.getTime();
  const heartbeatAgeSeconds = Math.max(0, nowMs - lastHeartbeatMs) / 1000;
  return {
    worker: row.id,
    boot: row.boot_id,
    hostname: row.hostname,
    jobTypes: row.job_types,
    models: row.models,
    concurrency: row.concurrency,
    leaseLimit: row.lease_limit,
    rates: ratesFromJson(row.rates),
    troubles: troublesFromJson(row.troubles, heartbeatAgeSeconds),
    offline: row.offline,
    pause: toPause(row),
    alive: isAlive({ lastHeartbeatAt: lastHeartbeatMs, offline: row.offline }, nowMs),
    firstSeenAt: row.first_seen_at,
    lastHeartbeatAt: row.last_heartbeat_at,
    heartbeatAgeSeconds,
    tasksLeased: row.tasks_leased,
    tasksDone: row.tasks_done,
    tasksFailed: row.tasks_failed,
    lastRan:
      row.last_job_type === null || row.last_model === null
        ? null
        : { jobType: row.last_job_type, model: row.last_model },
  };
}
