import type { JobEstimate, JobExplanation } from '@macbatch/contract';
import type { JobEstimateRange } from '@macbatch/core';
import type { JobExplanation as Explanation, Job } from '@macbatch/store';
import { troubleView } from '../workers/trouble-view.ts';
import { jobSummary } from './job-view.ts';

/** Builds the reply that explains what a job waits for and when it should end. */
export function explanationView(
  job: Job,
  { at, wait, estimate: expected, ...pace }: Explanation,
): JobExplanation {
  const known = typeof expected === 'string' ? null : expected;
  return {
    at: at.toISOString(),
    job: jobSummary(job),
    waits_for: wait.code,
    workers: wait.workers,
    paused_workers: wait.pausedWorkers,
    busy_workers: wait.busyWorkers,
    offered_models: [...wait.offeredModels],
    before: { jobs: wait.jobsBefore, items: wait.itemsBefore },
    held: {
      tasks: wait.held.tasks,
      workers: wait.held.workers,
      absent_workers: wait.held.absentWorkers,
      oldest_lease_seconds: wait.held.oldestSeconds,
      absent_lease_seconds: wait.held.absentSecondsLeft,
    },
    troubles: wait.troubles.map((trouble) => ({ ...troubleView(trouble), worker_id: trouble.worker })),
    pace: { told: pace.reportedRate, measured: pace.measuredRate },
    estimate: known === null ? null : estimateView(at, known),
    no_estimate: typeof expected === 'string' ? expected : null,
  };
}

/** An estimate as a part of a reply. It was made at `at`. */
export function estimateView(at: Date, { likely, low, high }: JobEstimateRange): JobEstimate {
  const after = (seconds: number) => new Date(Math.min(at.getTime() + seconds * 1000, LATEST)).toISOString();
  return {
    likely_seconds: likely,
    low_seconds: low,
    high_seconds: high,
    likely_at: after(likely),
    low_at: after(low),
    high_at: after(high),
  };
}

/** The latest representable date. A very low rate gives an end after it. */
const LATEST = Date.UTC(9999, 11, 31);
