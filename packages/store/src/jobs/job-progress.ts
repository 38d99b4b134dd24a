import type { ConnectionPools } from '@macbatch/connection';
import { estimateJob, type JobEstimateRange, type JobWaitCode, jobWait } from '@macbatch/core';
import { readMeasuredRates, totalRate } from '../pool/explain-job.ts';
import { type OwnedPool, type PoolSettings, readPool } from '../pool/read-pool.ts';
import type { Job } from './job.ts';

/**
 * An estimate looks at each job for each worker. In a large pool, a page of jobs has estimates only for the jobs that
 * are served first, so that it takes milliseconds.
 */
const MAX_ESTIMATE_STEPS = 2_000_000;

/** The progress of an open job. */
export interface JobProgress {
  /** The database's clock at the reading. */
  readonly at: Date;
  /** Items a second, measured over the last minutes. */
  readonly itemsPerSecond: number;
  /** Alive workers that hold tasks or copies of the job. */
  readonly workers: number;
  readonly waitsFor: JobWaitCode;
  /** Null: not known. */
  readonly estimate: JobEstimateRange | null;
}

/** Computes the progress of those of these jobs that are open. Reads the pool once. */
export async function jobProgress(
  connections: ConnectionPools,
  settings: PoolSettings,
  jobs: readonly Job[],
): Promise<ReadonlyMap<string, JobProgress>> {
  const open = jobs.filter(({ state }) => state === 'queued' || state === 'running');
  if (open.length === 0) return new Map();
  const [pool, rates] = await Promise.all([
    readPool(connections, settings),
    readMeasuredRates(
      connections,
      open.map(({ id }) => id),
    ),
  ]);
  const estimated = jobsToEstimate(open, pool);
  return new Map(
    open.map((job) => {
      const measured = rates.get(job.id) ?? new Map();
      const estimate = estimated.has(job.id) ? estimateJob(job.id, pool, measured) : null;
      return [
        job.id,
        {
          at: new Date(pool.now),
          itemsPerSecond: totalRate([...measured.values()]),
          workers: pool.workers.filter(
            ({ alive, held, copies }) => alive && [...held, ...copies].some(({ jobId }) => jobId === job.id),
          ).length,
          waitsFor: jobWait({ ...job, pendingTasks: job.tasks.pending }, pool).code,
          estimate: typeof estimate === 'string' ? null : estimate,
        },
      ];
    }),
  );
}

/** The ids of the jobs whose estimates are affordable: those that are served first. */
function jobsToEstimate(jobs: readonly Job[], pool: OwnedPool): ReadonlySet<string> {
  const stepsEach = Math.max(1, pool.jobs.length * pool.workers.length);
  const listed = new Set(jobs.map(({ id }) => id));
  return new Set(
    pool.jobs
      .filter(({ id }) => listed.has(id))
      .slice(0, Math.ceil(MAX_ESTIMATE_STEPS / stepsEach))
      .map(({ id }) => id),
  );
}
