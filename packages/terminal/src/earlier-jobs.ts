import type { JobSummary } from '@macbatch/contract';

const OPEN: ReadonlySet<string> = new Set(['queued', 'running']);

/** Lists the other open jobs of a data folder, which the workers of a run also run. Empty when there are none. */
export function earlierJobsText(jobs: readonly JobSummary[], ownId: string): string {
  const open = jobs.filter(({ id, state }) => id !== ownId && OPEN.has(state));
  if (open.length === 0) return '';
  return [
    'This data folder has earlier jobs that are not finished. They run too:',
    ...open.map(
      (job) =>
        `  job ${job.id}: ${job.items.open} of ${job.items.total} items of ${job.job_type} with ${job.model}, submitted ${job.created_at}`,
    ),
    'To drop one, stop this run, then: macbatch up, and in another terminal: macbatch cancel JOB',
  ].join('\n');
}
