import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, type Client, Unreachable } from '@macbatch/client';
import type { JobView } from '@macbatch/contract';
import { ExpectedEnd } from './expected-end.ts';
import { showProgress } from './progress.ts';
import { say, type Terminal } from './terminal.ts';

const POLL_MS = 500;

/** Follows a job until nothing of it is left to run. A control plane that is away is waited for. */
export async function watchJob(
  client: Client,
  jobId: string,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<JobView> {
  const progress = showProgress(terminal);
  const expectedEnd = new ExpectedEnd(client, jobId, terminal);
  let away = false;
  // Null at first: a worker that is just starting is no news.
  let waitingFor: string | null = null;
  try {
    for (;;) {
      try {
        const job = await client.call('readJob', { params: { id: jobId } }, { signal });
        if (away) say(terminal.stderr, 'the control plane answers again');
        away = false;
        if (job.waiting_for !== null && job.waiting_for !== waitingFor)
          say(terminal.stderr, `it waits for ${job.waiting_for}`);
        waitingFor = job.waiting_for;
        const open = job.state === 'queued' || job.state === 'running';
        progress.update(job, open ? await expectedEnd.text(signal) : null);
        if (!open) return job;
      } catch (error) {
        const mayPass = error instanceof Unreachable || (error instanceof ApiError && error.retryable);
        if (!mayPass) throw error;
        if (!away) say(terminal.stderr, `${error.message}; waiting for it`);
        away = true;
      }
      await delay(POLL_MS, undefined, { signal });
    }
  } finally {
    progress.stop();
  }
}
