import type { ConnectionPools } from '@macbatch/connection';
import { offersWork } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { jobModels, jobTallies, models, workers } from '../database/schema.ts';
import { type NoArguments, statement } from '../database/statement.ts';
import type { ModelBuild } from '../reporting/model-ids.ts';
import { alive } from '../workers/alive.ts';
import { type Job, toJob } from './job.ts';
import { readJobRow } from './job-rows.ts';
import { closeEndedJobs } from './list-jobs.ts';

interface JobWorkerRow {
  readonly worker_id: string;
  readonly leases_granted: number;
  readonly tasks_done: number;
  readonly tasks_failed: number;
  readonly items_ok: number;
  readonly items_error: number;
  readonly first_at: Date;
  readonly last_at: Date;
}

const readJobWorkers = statement<{ job: string }, JobWorkerRow>(
  (arg) => sql`
  select worker_id, leases_granted, tasks_done, tasks_failed, items_ok, items_error, first_at, last_at
  from ${jobTallies} where ${jobTallies.jobId} = ${arg.job('uuid')} and worker_id <> '' order by worker_id`,
);

const readJobModels = statement<{ job: string }, ModelBuild>(
  (arg) => sql`
  select ${models.name}, ${models.digest} from ${jobModels} join ${models} on ${models.id} = ${jobModels.modelId}
  where ${jobModels.jobId} = ${arg.job('uuid')} order by ${models.name}, ${models.digest}`,
);

interface OffersRow {
  readonly job_types: readonly string[];
  readonly models: readonly string[];
}

/** Reads the distinct offers of all alive workers. */
const readOffers = statement<NoArguments, OffersRow>(
  () => sql`select distinct ${workers.jobTypes}, ${workers.models} from ${workers} where ${alive()}`,
);

/** What one worker has done in a job. */
export interface JobWorker {
  readonly workerId: string;
  readonly leases: number;
  readonly tasksDone: number;
  readonly tasksFailed: number;
  readonly itemsOk: number;
  readonly itemsError: number;
  readonly firstLeaseAt: Date;
  readonly lastReportAt: Date;
}

export interface JobDetail extends Job {
  readonly modelsUsed: readonly ModelBuild[];
  /** The job is unfinished and no alive worker offers its work kind. */
  readonly hasNoOffer: boolean;
  readonly workers: readonly JobWorker[];
}

/** Reads a job with its workers and models; null if the job does not exist. */
export async function readJob(connections: ConnectionPools, id: string): Promise<JobDetail | null> {
  const client = connections.durable;
  const [row] = await readJobRow.run(client, { job: id });
  if (row === undefined) return null;
  const [job] = await closeEndedJobs(connections, [toJob(row)]);
  if (job === undefined) return null;
  // Read after the counts, so that every counted outcome has its worker here.
  const isOpen = job.state === 'queued' || job.state === 'running';
  const [workerRows, builds, offers] = await Promise.all([
    readJobWorkers.run(client, { job: id }),
    readJobModels.run(client, { job: id }),
    isOpen ? readOffers.run(client) : [],
  ]);
  return {
    ...job,
    hasNoOffer:
      isOpen && !offers.some((offer) => offersWork({ jobTypes: offer.job_types, models: offer.models }, job)),
    modelsUsed: builds.map(({ name, digest }) => ({ name, digest })),
    workers: workerRows.map((worker) => ({
      workerId: worker.worker_id,
      leases: worker.leases_granted,
      tasksDone: worker.tasks_done,
      tasksFailed: worker.tasks_failed,
      itemsOk: worker.items_ok,
      itemsError: worker.items_error,
      firstLeaseAt: worker.first_at,
      lastReportAt: worker.last_at,
    })),
  };
}
