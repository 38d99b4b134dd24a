import type { ConnectionPools } from '@macbatch/connection';
import { type JobState, type JobType, jobTypeOf, WORK_TYPES } from '@macbatch/core';
import { closeJobs } from './close-jobs.ts';
import { type Job, toJob } from './job.ts';
import { readJobRow } from './job-rows.ts';
import { listJobRows } from './list-job-rows.ts';

/** Where a page of jobs begins. */
export interface JobCursor {
  /** Only jobs that are older than this one. */
  readonly before: string;
  /** The open jobs were all listed before. Only for lists with open jobs first. */
  readonly ended: boolean;
}

/** Which jobs are listed, and how. */
export interface JobQuery {
  /** Only jobs of this owner; null for all. */
  readonly owner: string | null;
  readonly states?: readonly JobState[] | undefined;
  readonly jobType?: JobType | undefined;
  readonly model?: string | undefined;
  /** Part of the name or the id, upper and lower case alike. */
  readonly text?: string | undefined;
  /**
   * Lists open jobs before all others. Both parts are newest first.
   *
   * @default false
   */
  readonly openFirst?: boolean;
  /** The `next` of the previous page. */
  readonly cursor?: JobCursor | undefined;
  readonly limit: number;
}

export interface JobPage {
  readonly jobs: readonly Job[];
  /** Null: there are no more jobs. */
  readonly next: JobCursor | null;
}

/** Reads a page of jobs. */
export async function listJobs(connections: ConnectionPools, query: JobQuery): Promise<JobPage> {
  const { states, jobType, limit, openFirst = false, cursor } = query;
  const filter = {
    owner: query.owner,
    states: states ?? null,
    workTypes: jobType === undefined ? null : WORK_TYPES.filter((each) => jobTypeOf(each) === jobType),
    model: query.model ?? null,
    text: query.text ?? null,
  };
  const read = async (part: keyof typeof listJobRows, before: string | null, most: number) =>
    (await listJobRows[part].run(connections.durable, { ...filter, before, limit: most })).map(toJob);

  const onlyOpen = states?.every((state) => state === 'queued' || state === 'running') ?? false;
  const endedOnly = openFirst && cursor?.ended === true;
  const first = endedOnly ? 'ended' : openFirst || onlyOpen ? 'open' : 'all';
  const jobs = await read(first, cursor?.before ?? null, limit);
  const readsMore = first === 'open' && !onlyOpen && jobs.length < limit;
  const others = readsMore ? await read('ended', null, limit - jobs.length) : [];
  const listed = [...jobs, ...others];
  const last = listed.at(-1);
  return {
    jobs: await closeEndedJobs(connections, listed),
    next:
      last === undefined || listed.length < limit
        ? null
        : { before: last.id, ended: endedOnly || others.length > 0 },
  };
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
