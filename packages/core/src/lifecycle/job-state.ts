import type { TaskStatus } from './task.ts';

/** The states of a job. They derive from its tasks and are not stored. */
export const JOB_STATES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

/**
 * `queued`: no lease was granted yet. `done`: every task is done; some items may have ended with an error.
 * `failed`: no task is left to run and at least one failed. A cancelled job stays cancelled.
 */
export function jobState(job: {
  readonly cancelled: boolean;
  readonly tasks: { readonly [Status in TaskStatus]: number };
  readonly leasesGranted: number;
}): JobState {
  if (job.cancelled) return 'cancelled';
  if (job.tasks.pending + job.tasks.leased > 0) return job.leasesGranted === 0 ? 'queued' : 'running';
  return job.tasks.failed > 0 ? 'failed' : 'done';
}
