import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, type Client, Unreachable } from '@macbatch/client';
import type { JobExplanation, JobView } from '@macbatch/contract';
import { mixedBuildsText } from '@macbatch/wording';
import { ExpectedEnd } from './expected-end.ts';
import { JobTroubles } from './job-troubles.ts';
import { showProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';

const POLL_MS = 500;

/**
 * Shows the progress of a job, and what model servers say, until the job ends. Keeps trying while the control plane
 * does not answer. `onExplained` gets what the job waits for, and may throw to stop.
 */
export async function watchJob(
  client: Client,
  jobId: string,
  terminal: Terminal,
  signal: AbortSignal,
  onExplained?: (explanation: JobExplanation) => void,
): Promise<JobView> {
  const progress = showProgress(terminal);
  const expectedEnd = new ExpectedEnd(client, jobId, terminal);
  const troubles = new JobTroubles(client, jobId, terminal, (text) => progress.note(text));
  let unreachable = false;
  // Null at first: at the start a job always waits for workers that are just starting.
  let waitingFor: string | null = null;
  let mixed: string | null = null;
  try {
    for (;;) {
      try {
        const job = await client.call('readJob', { params: { id: jobId } }, { signal });
        if (unreachable) progress.note('the control plane answers again');
        unreachable = false;
        if (job.waiting_for !== null && job.waiting_for !== waitingFor)
          progress.note(`the job waits for ${job.waiting_for}`);
        waitingFor = job.waiting_for;
        const mixedNow = mixedBuildsText(job);
        if (mixedNow !== null && mixedNow !== mixed) progress.note(`warning: ${mixedNow}`);
        mixed = mixedNow;
        const open = job.state === 'queued' || job.state === 'running';
        progress.update(job, open ? await expectedEnd.text(signal) : null);
        if (!open) return job;
        const explanation = await troubles.show(signal);
        if (explanation !== null) onExplained?.(explanation);
      } catch (error) {
        const isTemporary = error instanceof Unreachable || (error instanceof ApiError && error.retryable);
        if (!isTemporary) throw error;
        if (!unreachable) progress.note(`${error.message}; trying again`);
        unreachable = true;
      }
      await delay(POLL_MS, undefined, { signal });
    }
  } finally {
    progress.stop();
  }
}
