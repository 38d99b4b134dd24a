import type { ConnectionPools } from '@macbatch/connection';
import {
  type HeldWork,
  isAlive,
  type JobOrder,
  MAY_LEAVE_SECONDS,
  type OpenJob,
  orderJobs,
  type PoolState,
  type PoolWorker,
} from '@macbatch/core';
import { readDatabaseClock } from '../database/read-database-clock.ts';
import { toScheduledJob } from '../jobs/scheduled-job.ts';
import { ratesFromJson, troublesFromJson } from '../workers/worker.ts';
import {
  type OpenJobRow,
  type PoolWorkerRow,
  readCopiedWork,
  readHeldWork,
  readOpenJobs,
  readPoolWorkers,
  type WorkRow,
} from './pool-rows.ts';

interface OwnedJob extends OpenJob {
  readonly owner: string;
}

/** The state of the pool, with the owner of each job. */
export interface OwnedPool extends PoolState {
  readonly jobs: readonly OwnedJob[];
}

export interface PoolSettings {
  readonly order: JobOrder;
  readonly givesCopies: boolean;
}

/** Reads the workers, what they hold, and the jobs that have unfinished tasks. */
export async function readPool(connections: ConnectionPools, settings: PoolSettings): Promise<OwnedPool> {
  const client = connections.durable;
  const [jobs, workers, held, copied, clock] = await Promise.all([
    readOpenJobs.run(client),
    readPoolWorkers.run(client),
    readHeldWork.run(client),
    readCopiedWork.run(client),
    readDatabaseClock(connections),
  ]);
  const now = clock.getTime();
  const lostLeases = new Set(jobs.flatMap((job) => job.lost_by));
  const heldBy = Map.groupBy(held, (row) => row.worker_id);
  const copiedBy = Map.groupBy(copied, (row) => row.worker_id);
  const registered = new Set(workers.map(({ id }) => id));
  const unregistered = [...heldBy].filter(([id]) => !registered.has(id));
  return {
    jobs: orderJobs(jobs.map(toOpenJob), settings.order, now),
    workers: [
      ...workers.map((row) => ({
        ...toPoolWorker(row, now, lostLeases.has(row.id)),
        held: (heldBy.get(row.id) ?? []).map(toHeldWork),
        copies: (copiedBy.get(row.id) ?? []).map(toHeldWork),
      })),
      ...unregistered.map(([id, rows]) => unregisteredWorker(id, rows.map(toHeldWork))),
    ],
    order: settings.order,
    now,
    givesCopies: settings.givesCopies,
  };
}

function toOpenJob(row: OpenJobRow): OwnedJob {
  return { ...toScheduledJob(row), owner: row.owner, itemsToRun: row.items_to_run };
}

function toPoolWorker(
  row: PoolWorkerRow,
  now: number,
  hasLostLeases: boolean,
): Omit<PoolWorker, 'held' | 'copies'> {
  const lastHeartbeatAt = row.last_heartbeat_at.getTime();
  return {
    id: row.id,
    alive: isAlive({ lastHeartbeatAt, offline: row.offline }, now),
    offline: row.offline,
    paused: row.paused,
    mayLeave: hasLostLeases || now - lastHeartbeatAt > MAY_LEAVE_SECONDS * 1000,
    jobTypes: row.job_types,
    models: row.models,
    slots: row.concurrency,
    rates: ratesFromJson(row.rates).map((rate) => ({ ...rate, loaded: rate.loaded ?? false })),
    troubles: troublesFromJson(row.troubles, Math.max(0, now - lastHeartbeatAt) / 1000),
  };
}

/** A worker that has leased tasks without ever sending a heartbeat. */
function unregisteredWorker(id: string, held: readonly HeldWork[]): PoolWorker {
  return {
    id,
    alive: false,
    offline: false,
    paused: false,
    mayLeave: true,
    jobTypes: [],
    models: [],
    slots: 1,
    rates: [],
    troubles: [],
    held,
    copies: [],
  };
}

function toHeldWork(row: WorkRow): HeldWork {
  return {
    jobId: row.job_id,
    jobType: row.job_type,
    model: row.model,
    tasks: row.tasks,
    items: row.items,
    oldestSeconds: row.oldest_seconds,
    secondsLeft: row.seconds_left,
  };
}
