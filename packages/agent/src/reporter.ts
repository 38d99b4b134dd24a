import { ApiError, type Client } from '@macbatch/client';
import { Backoff } from './backoff.ts';
import { Bell } from './bell.ts';
import type { HeldTask } from './held-task.ts';

/** Most tasks and about the most bytes of one report; larger ones would block the control plane's loop. */
const BATCH_TASKS = 100;
const BATCH_BYTES = 1024 * 1024;

export interface ReporterOptions {
  readonly client: Client;
  readonly workerId: string;
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  readonly random: () => number;
  /** Called when the control plane has answered for a task, or will never take it. */
  readonly onSettled: (task: HeldTask) => void;
}

/** Sends what came of tasks, several in one call, until the control plane has answered. */
export class Reporter {
  readonly #options: ReporterOptions;
  readonly #bell = new Bell();
  #waiting: HeldTask[] = [];

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  add(task: HeldTask): void {
    this.#waiting.push(task);
    this.#bell.ring();
  }

  /** Sends until `finished` aborts and nothing waits any more, or `giveUp` aborts. */
  async run(finished: AbortSignal, giveUp: AbortSignal): Promise<void> {
    const backoff = new Backoff(this.#options.random);
    while (!giveUp.aborted) {
      if (this.#waiting.length === 0) {
        if (finished.aborted) return;
        await this.#bell.wait(finished);
        continue;
      }
      const batch = this.#nextBatch();
      try {
        await this.#send(batch, giveUp);
        this.#waiting = this.#waiting.filter((task) => !batch.includes(task));
        for (const task of batch) this.#options.onSettled(task);
        backoff.succeeded();
      } catch (error) {
        if (giveUp.aborted) break;
        this.#options.log('report.delayed', { tasks: batch.length, reason: message(error) });
        await backoff.wait(giveUp);
      }
    }
    if (this.#waiting.length > 0) this.#options.log('report.abandoned', { tasks: this.#waiting.length });
  }

  #nextBatch(): HeldTask[] {
    const batch: HeldTask[] = [];
    let bytes = 0;
    for (const task of this.#waiting) {
      bytes += task.outcomes.reduce(
        (sum, outcome) => sum + ('output' in outcome ? outcome.output.length : 200),
        200,
      );
      if (batch.length > 0 && (batch.length >= BATCH_TASKS || bytes > BATCH_BYTES)) break;
      batch.push(task);
    }
    return batch;
  }

  async #send(batch: readonly HeldTask[], signal: AbortSignal): Promise<void> {
    const spoken = batch.filter((task) => !task.silent);
    if (spoken.length > 0) await this.#report(spoken, signal);
    const returned = batch.filter(
      (task) => task.handBack && !task.lost && task.outcomes.length < task.lease.items.length,
    );
    if (returned.length > 0) await this.#release(returned, signal);
  }

  async #report(tasks: readonly HeldTask[], signal: AbortSignal): Promise<void> {
    const { client, workerId, log } = this.#options;
    try {
      const { entries } = await client.call(
        'completeBatch',
        { body: { worker_id: workerId, entries: tasks.map((task) => task.entry()) } },
        { signal },
      );
      for (const { task_id, attempt, outcome, code, task_status } of entries) {
        log('task.reported', {
          task_id,
          attempt,
          outcome,
          ...(code === undefined ? {} : { code }),
          task_status,
        });
      }
    } catch (error) {
      if (!(error instanceof ApiError) || error.retryable) throw error;
      if (tasks.length === 1) {
        // It will never be taken as it is; without it the task's lease ends and another worker tries.
        log('report.refused', { task_id: tasks[0]?.lease.task_id, code: error.code });
        return;
      }
      for (const task of tasks) await this.#report([task], signal);
    }
  }

  async #release(tasks: readonly HeldTask[], signal: AbortSignal): Promise<void> {
    const { client, workerId, log } = this.#options;
    const names = tasks.map(({ lease: { task_id, attempt } }) => ({ task_id, attempt }));
    const reply = await client.call(
      'releaseTasks',
      { body: { worker_id: workerId, tasks: names } },
      { signal },
    );
    for (const { task_id, attempt, outcome } of reply.tasks)
      log('task.released', { task_id, attempt, outcome });
  }
}

export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
