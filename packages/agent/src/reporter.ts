import { ApiError, type Client } from '@macbatch/client';
import type { ReportEntry } from '@macbatch/contract';
import { Backoff, type Sleep } from './backoff.ts';
import { Bell } from './bell.ts';
import { entryOf, isReturned, isSilent, type Reportable } from './reportable.ts';

/** Most tasks and about the most bytes of one report; larger ones would block the control plane's loop. */
const BATCH_TASKS = 100;
const BATCH_BYTES = 1024 * 1024;

export interface ReporterOptions {
  readonly client: Client;
  readonly workerId: string;
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  readonly random: () => number;
  readonly sleep: Sleep;
  /** Called when the control plane has answered for a task, or will never take it. */
  readonly onSettled: (task: Reportable) => void;
}

/** Sends what came of tasks, several in one call, until the control plane has answered. */
export class Reporter {
  readonly #options: ReporterOptions;
  readonly #bell = new Bell();
  #waiting: Reportable[] = [];

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  add(task: Reportable): void {
    this.#waiting.push(task);
    this.#bell.ring();
  }

  /** Sends until `finished` aborts and nothing waits any more, or `giveUp` aborts. */
  async run(finished: AbortSignal, giveUp: AbortSignal): Promise<void> {
    const backoff = new Backoff(this.#options.random, this.#options.sleep);
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

  #nextBatch(): Reportable[] {
    const batch: Reportable[] = [];
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

  async #send(batch: readonly Reportable[], signal: AbortSignal): Promise<void> {
    const spoken = batch.filter((task) => !isSilent(task));
    if (spoken.length > 0) await this.#report(spoken.map(entryOf), signal);
    const returned = batch.filter(isReturned);
    if (returned.length > 0) await this.#release(returned, signal);
  }

  /** What the control plane refuses to read is sent again in parts, so that one part costs no other. */
  async #report(entries: readonly ReportEntry[], signal: AbortSignal): Promise<void> {
    const { client, workerId, log } = this.#options;
    try {
      const reply = await client.call(
        'completeBatch',
        { body: { worker_id: workerId, entries: [...entries] } },
        { signal },
      );
      for (const { task_id, attempt, outcome, code, task_status } of reply.entries) {
        log('task.reported', {
          task_id,
          attempt,
          outcome,
          ...(code === undefined ? {} : { code }),
          task_status,
        });
      }
    } catch (error) {
      if (!isAboutContent(error)) throw error;
      const parts = partsOf(entries, error.code);
      // Without it the task's lease ends and another worker tries.
      if (parts.length === 0) log('report.refused', { task_id: entries[0]?.task_id, code: error.code });
      for (const part of parts) await this.#report(part, signal);
    }
  }

  async #release(tasks: readonly Reportable[], signal: AbortSignal): Promise<void> {
    const { client, workerId, log } = this.#options;
    const names = tasks.map(({ lease: { task_id, attempt } }) => ({ task_id, attempt }));
    try {
      const reply = await client.call(
        'releaseTasks',
        { body: { worker_id: workerId, tasks: names } },
        { signal },
      );
      for (const { task_id, attempt, outcome } of reply.tasks)
        log('task.released', { task_id, attempt, outcome });
    } catch (error) {
      if (!isAboutContent(error)) throw error;
      // Their leases end by themselves.
      log('release.refused', { tasks: names.length, code: error.code });
    }
  }
}

/** Smaller reports that say the same; none where there is nothing left to divide. */
function partsOf(entries: readonly ReportEntry[], code: string): ReportEntry[][] {
  const [entry] = entries;
  if (entry === undefined) return [];
  if (entries.length > 1) return entries.map((each) => [each]);
  const [outcome] = entry.outcomes;
  if (outcome === undefined) return [];
  if (entry.outcomes.length > 1) {
    const half = Math.ceil(entry.outcomes.length / 2);
    const { error: _, ...first } = { ...entry, outcomes: entry.outcomes.slice(0, half), final: false };
    return [[first], [{ ...entry, outcomes: entry.outcomes.slice(half) }]];
  }
  if (code !== 'body_too_large' || !('output' in outcome)) return [];
  const error = {
    code: 'output_too_large',
    message: 'the control plane takes no output as large as this one',
  };
  return [[{ ...entry, outcomes: [{ item_id: outcome.item_id, error }] }]];
}

export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether the control plane refuses what was sent; who is turned away keeps it until the key is right again. */
function isAboutContent(error: unknown): error is ApiError {
  return error instanceof ApiError && !error.retryable && !error.turnedAway;
}
