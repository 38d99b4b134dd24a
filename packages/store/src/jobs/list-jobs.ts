import type { ConnectionPools } from '@macbatch/connection';
import { closeJobs } from './close-jobs.ts';
import { type Job, toJob } from './job.ts';
import { listJobRows, readJobRow } from './job-rows.ts';

export interface JobPage {
  /** Only jobs of this owner; null for all. */
  readonly owner: string | null;
  /** Only jobs that are older than this one; null for all. */
  readonly before: string | null;
  readonly limit: number;
}

/** Reads a page of jobs, newest first. */
export async function listJobs(connections: ConnectionPools, page: JobPage): Promise<Job[]> {
  const rows = await listJobRows.run(connections.durable, page);
  return closeEndedJobs(connections, rows.map(toJob));
}

/** Records the end of jobs that have ended unnoticed, and reads them again. */
export async function closeEndedJobs(connections: ConnectionPools, jobs: Job[]): Promise<Job[]> {
  const ended = jobs.filter(
    ({ finishedAt, state }) => finishedAt === null && (state === 'done' || state === 'failed'),
  );
  if (ended.length === 0) return jobs;
  await closeJobs(
    connections,
    ended.map(({ id }) => id),
  );
  // Closing gives repeated items their outcome, so the counts have changed.
  const rows = await Promise.all(ended.map(({ id }) => readJobRow.run(connections.durable, { job: id })));
  const closed = new Map(rows.flat().map((row) => [row.id, toJob(row)]));
  return jobs.map((job) => closed.get(job.id) ?? job);
}
