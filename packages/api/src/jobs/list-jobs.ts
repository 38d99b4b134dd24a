import type { JobListEntry, RouteArguments, RouteReply } from '@macbatch/contract';
import type { Job, JobCursor, JobProgress, Store } from '@macbatch/store';
import { type Caller, listed } from '../auth/caller.ts';
import { estimateView } from './explanation-view.ts';
import { jobSummary } from './job-view.ts';

const ENDED = 'ended:';

/** Answers a request for a page of jobs. */
export async function listJobs(
  store: Pick<Store, 'listJobs' | 'jobProgress'>,
  query: RouteArguments<'listJobs'>['query'],
  caller: Caller,
): Promise<RouteReply<'listJobs'>> {
  const owner = listed(caller);
  // Jobs of other groups look as if they did not exist.
  if (owner !== null && query.group !== undefined && query.group !== owner) return { jobs: [], next: null };
  const { jobs, next } = await store.listJobs({
    owner: query.group ?? owner,
    states: query.state,
    jobType: query.type,
    model: query.model,
    text: query.q,
    openFirst: query.sort === 'open',
    cursor: query.before === undefined ? undefined : parseCursor(query.before),
    limit: query.limit,
  });
  const progress = await store.jobProgress(jobs);
  return {
    jobs: jobs.map((job) => entry(job, progress.get(job.id))),
    next: next === null ? null : `${next.ended ? ENDED : ''}${next.before}`,
  };
}

function parseCursor(text: string): JobCursor {
  const ended = text.startsWith(ENDED);
  return { ended, before: ended ? text.slice(ENDED.length) : text };
}

function entry(job: Job, progress: JobProgress | undefined): JobListEntry {
  return {
    ...jobSummary(job),
    items_per_second: progress?.itemsPerSecond ?? null,
    active_workers: progress?.workers ?? 0,
    waits_for: progress?.waitsFor ?? null,
    estimate:
      progress === undefined || progress.estimate === null
        ? null
        : estimateView(progress.at, progress.estimate),
  };
}
