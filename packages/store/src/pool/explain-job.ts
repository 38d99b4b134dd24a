import type { ConnectionPools } from '@macbatch/connection';
import {
  estimateJob,
  isSameWorkKind,
  type JobEstimateRange,
  type JobWait,
  jobWait,
  type MeasuredRate,
  measuredRate,
  type NoEstimateReason,
} from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { jobTallies } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import type { Job } from '../jobs/job.ts';
import { decayedItems } from '../tasks/recent-items.ts';
import { type PoolSettings, readPool } from './read-pool.ts';

interface RecentItemsRow {
  readonly job_id: string;
  readonly worker_id: string;
  readonly decayed_items: number;
  /** Seconds since the worker's first lease of the job. */
  readonly since_seconds: number;
}

/** Reads what each worker has lately finished of these jobs. */
export const readRecentItems = statement<{ jobs: readonly string[] }, RecentItemsRow>(
  (arg) => sql`
  select job_id, worker_id, ${decayedItems(sql`${jobTallies.recentItems}`, sql`${jobTallies.lastAt}`)}::float8 as decayed_items,
    greatest(0, extract(epoch from now() - ${jobTallies.firstAt}))::float8 as since_seconds
  from ${jobTallies} where ${jobTallies.jobId} = any(${arg.jobs('uuid[]')}) and worker_id <> ''`,
);

/** What a job waits for and when it should end. */
export interface JobExplanation {
  /** The database's clock at the reading. */
  readonly at: Date;
  readonly wait: JobWait;
  readonly estimate: JobEstimateRange | NoEstimateReason;
  /** Sum of the rates that alive workers report for this work kind; 0 when none does. */
  readonly reportedRate: number;
  /** Items a second of this job in the last minutes. */
  readonly measuredRate: number;
}

/** Reads the pool and computes what a job waits for and when it should end. */
export async function explainJob(
  connections: ConnectionPools,
  settings: PoolSettings,
  job: Job,
): Promise<JobExplanation> {
  const [pool, rates] = await Promise.all([
    readPool(connections, settings),
    readMeasuredRates(connections, [job.id]),
  ]);
  const measured = rates.get(job.id) ?? new Map<string, MeasuredRate>();
  const reported = pool.workers
    .filter(({ alive, paused }) => alive && !paused)
    .flatMap(({ rates }) => rates)
    .filter((rate) => isSameWorkKind(rate, job));
  return {
    at: new Date(pool.now),
    wait: jobWait({ ...job, pendingTasks: job.tasks.pending }, pool),
    estimate: estimateJob(job.id, pool, measured),
    reportedRate: totalRate(reported),
    measuredRate: totalRate([...measured.values()]),
  };
}

/** Reads the measured rates of these jobs: by job, then by worker. */
export async function readMeasuredRates(
  { durable }: ConnectionPools,
  jobs: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, MeasuredRate>>> {
  const rows = await readRecentItems.run(durable, { jobs });
  return new Map(
    [...Map.groupBy(rows, (row) => row.job_id)].map(([job, ofJob]) => [
      job,
      new Map(
        ofJob.map((row) => [
          row.worker_id,
          measuredRate({ decayedItems: row.decayed_items, sinceSeconds: row.since_seconds }),
        ]),
      ),
    ]),
  );
}

/** Sums rates in items a second. */
export function totalRate(rates: readonly { readonly itemsPerSecond: number }[]): number {
  return rates.reduce((total, { itemsPerSecond }) => total + itemsPerSecond, 0);
}
