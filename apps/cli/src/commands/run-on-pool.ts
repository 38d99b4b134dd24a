import type { Client } from '@macbatch/client';
import type { JobView } from '@macbatch/contract';
import type { FailureGroups } from '@macbatch/core';
import { type Draft, submitDraft, type Written, writeOutcomes } from '@macbatch/job-files';
import type { LocalPool } from '@macbatch/local-pool';
import {
  counted,
  EXIT,
  earlierJobsText,
  Failure,
  jobFailures,
  printLine,
  smallerTasksText,
  type Terminal,
  watchJob,
} from '@macbatch/terminal';
import { createClient } from '../options/connection.ts';
import type { FileJob } from '../options/job-draft.ts';
import type { Output } from '../options/output-options.ts';
import { giveUpOnLastingTrouble } from './lasting-trouble.ts';
import { tryFirst } from './preview.ts';

/** A job that `run` runs on its own pool. */
export interface RunJob {
  readonly draft: Draft;
  readonly key: { readonly contentHash: string; readonly idempotencyKey: string };
  readonly output: Output;
  /** Runs the items of an earlier run again that failed. */
  readonly retry: boolean;
  /** The items to try first; null if none. */
  readonly trial: { readonly job: FileJob; readonly count: number; readonly yes: boolean } | null;
  readonly onSubmitted: () => void;
}

/** A job that has ended, whose outcomes are written. */
export interface EndedRun {
  readonly job: JobView;
  readonly failures: FailureGroups;
  readonly tokens: Written['tokens'];
}

/** Runs a job and writes its outcomes. Returns null if the user stops after the trial. Throws when the pool breaks. */
export async function runOnPool(pool: LocalPool, run: RunJob, terminal: Terminal): Promise<EndedRun | null> {
  const client = createClient(pool.url, terminal);
  const stopping = new AbortController();
  const signal = AbortSignal.any([terminal.interrupted, stopping.signal]);
  const poolFailure = brokenPool(pool).then((reason) => {
    stopping.abort(new Failure(EXIT.unavailable, reason));
    throw new Failure(EXIT.unavailable, reason);
  });
  // Stopping the pool after the end of the job rejects this promise too.
  poolFailure.catch(() => undefined);
  const running = tryAndRun(client, run, terminal, signal);
  try {
    return await Promise.race([running, poolFailure]);
  } finally {
    stopping.abort(terminal.interrupted.reason);
    // It cancels a trial, or saves the outcomes that have arrived.
    await running.catch(() => undefined);
  }
}

async function tryAndRun(
  client: Client,
  { draft, key, output, retry, trial, onSubmitted }: RunJob,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<EndedRun | null> {
  const onExplained = giveUpOnLastingTrouble(terminal);
  if (trial !== null && !(await tryFirst(trial.job, client, trial, terminal, signal, onExplained)))
    return null;
  const { job, created } = await submitDraft(client, draft, key, signal);
  onSubmitted();
  printLine(
    terminal.stderr,
    created
      ? `job ${job.id}: ${counted(job.items.total, 'item')} in ${counted(job.tasks.total, 'task')}`
      : `continuing job ${job.id}: ${job.items.ok + job.items.error} of ${job.items.total} items have an outcome`,
  );
  const smaller = smallerTasksText(job);
  if (created && smaller !== '') printLine(terminal.stderr, smaller);
  const { jobs } = await client.call('listJobs', { query: { limit: 200 } });
  const earlier = earlierJobsText(jobs, job.id);
  if (earlier !== '') printLine(terminal.stderr, earlier);
  if (retry && !created) {
    const retried = await client.call('retryJob', { params: { id: job.id }, body: { items: true } });
    printLine(
      terminal.stderr,
      `${counted(retried.tasks, 'task')} will run again, ${counted(retried.items, 'item error')} removed`,
    );
  }
  const ended = await watchAndWrite(client, job.id, output, terminal, signal);
  const { error, failed } = ended.job.items;
  return { ...ended, failures: await jobFailures(client, job.id, error + failed, signal) };
}

async function watchAndWrite(
  client: Client,
  jobId: string,
  output: Output,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Omit<EndedRun, 'failures'>> {
  const stopping = new AbortController();
  const either = AbortSignal.any([signal, stopping.signal]);
  const writing = writeOutcomes(client, { ...output, jobId, follow: true }, either);
  try {
    const [job, { tokens }] = await Promise.all([
      watchJob(client, jobId, terminal, either, giveUpOnLastingTrouble(terminal)),
      writing,
    ]);
    return { job, tokens };
  } finally {
    stopping.abort();
    // It saves the outcomes that have arrived.
    await writing.catch(() => undefined);
  }
}

/** Resolves with the reason when the pool can no longer finish the job. */
async function brokenPool(pool: LocalPool): Promise<string> {
  const control = pool.control.exited.then(
    (end) => `The control plane ended with ${end}. Its log: ${pool.control.logPath}`,
  );
  const workers = Promise.all(pool.workers.map((worker) => worker.exited)).then(
    (ends) =>
      `All workers ended (${ends.join(', ')}). Their logs: ${pool.workers.map((worker) => worker.logPath).join(', ')}`,
  );
  return Promise.race([control, workers]);
}
