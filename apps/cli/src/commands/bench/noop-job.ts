import type { Client } from '@macbatch/client';
import type { JobView } from '@macbatch/contract';
import type { Terminal } from '@macbatch/terminal';
import { showProgress } from '@macbatch/terminal';

export interface NoopRun {
  readonly job: JobView;
  /** From the first lease to the last report. */
  readonly seconds: number;
  readonly leaseMs: readonly number[];
  readonly completeMs: readonly number[];
}

const MODEL = 'noop-bench';
const OUTPUT = '{"ok":true}';
const PROGRESS_INTERVAL_MS = 250;

/** Submits a job of no-op items, runs it with loops that lease and report, and times each call. */
export async function runNoopJob(
  client: Client,
  size: {
    readonly tasks: number;
    readonly shardSize: number;
    readonly workers: number;
    readonly leaseLimit: number;
  },
  terminal: Terminal,
): Promise<NoopRun> {
  const items = size.tasks * size.shardSize;
  async function* lines(): AsyncGenerator<string, void, undefined> {
    yield JSON.stringify({ job_type: 'noop', model: MODEL, shard_size: size.shardSize });
    for (let n = 0; n < items; n += 1) yield `{"id":"item-${n}","payload":{"n":${n}}}`;
  }
  const { job } = await client.submit(lines, { signal: terminal.interrupted });
  const leaseMs: number[] = [];
  const completeMs: number[] = [];
  const progress = showProgress(terminal);
  let shownAt = 0;
  const startedAt = terminal.now();

  async function runWorker(worker: string): Promise<void> {
    while (!terminal.interrupted.aborted) {
      const leaseAt = terminal.now();
      const { tasks } = await client.call('leaseTasks', {
        body: {
          worker_id: worker,
          boot_id: 'bench',
          lease_limit: size.leaseLimit,
          offers: [{ job_type: 'noop', model: MODEL }],
        },
      });
      leaseMs.push(terminal.now() - leaseAt);
      if (tasks.length === 0) return;
      const completeAt = terminal.now();
      await client.call('completeBatch', {
        body: {
          worker_id: worker,
          entries: tasks.map((task) => ({
            task_id: task.task_id,
            attempt: task.attempt,
            final: true,
            outcomes: task.items.map(({ item_id }) => ({ item_id, output: OUTPUT })),
          })),
        },
      });
      completeMs.push(terminal.now() - completeAt);
      if (terminal.now() - shownAt > PROGRESS_INTERVAL_MS) {
        shownAt = terminal.now();
        progress.update(await client.call('readJob', { params: { id: job.id } }));
      }
    }
  }

  try {
    await Promise.all(Array.from({ length: size.workers }, (_, n) => runWorker(`bench-${n + 1}`)));
  } finally {
    progress.stop();
  }
  const seconds = (terminal.now() - startedAt) / 1000;
  terminal.interrupted.throwIfAborted();
  return { job: await client.call('readJob', { params: { id: job.id } }), seconds, leaseMs, completeMs };
}
