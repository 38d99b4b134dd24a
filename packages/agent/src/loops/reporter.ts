import { ApiError, type Client } from '@macbatch/client';
import type { EntryReply, ReportEntry } from '@macbatch/contract';
import { messageOf } from '@macbatch/core';
import type { HeldTask } from '../worker/held-task.ts';
import { entryOf, isReturned, isSilent, partialEntryOf, type Reportable } from '../worker/reportable.ts';
import { Backoff, type Sleep } from './backoff.ts';
import { Bell } from './signal.ts';

/** Most tasks and about the most bytes of one report; larger ones would block the control plane's loop. */
const BATCH_TASKS = 100;
const BATCH_BYTES = 1024 * 1024;

export interface ReporterOptions {
  readonly client: Client;
  readonly workerId: string;
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
  /** How long an outcome of a task that still runs may wait for others to go with it. */
  readonly reportMs: number;
  /** Called when outcomes of tasks that still run have been answered for. */
  readonly onSent: () => void;
  /** Called when the control plane has answered for a task, or will never take it. */
  readonly onSettled: (task: Reportable) => void;
  /** Called when others have reported items of a task that still runs. */
  readonly onItemsSettled: (task: HeldTask, itemIds: readonly string[]) => void;
  /** Called when the control plane wants nothing more of a task that still runs. */
  readonly onUnwanted: (task: HeldTask, code: string) => void;
}

/** Sends what came of tasks, several in one call, until the control plane has answered. */
export class Reporter {
  readonly #options: ReporterOptions;
  readonly #bell = new Bell();
  #waiting: Reportable[] = [];
  /** Tasks that still run and have outcomes that were not sent. */
  readonly #running = new Set<HeldTask>();
  /** When all that is to be sent; null while there is nothing. */
  #due: number | null = null;

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  /** A task that has ended and of which others may get the rest: sent as soon as can be. */
  add(task: Reportable): void {
    this.#wait(task);
    this.#dueIn(0);
  }

  /** A task of which every item has an outcome: sent with others after a while, as those of running ones. */
  addComplete(task: HeldTask): void {
    this.#wait(task);
    this.#dueIn(this.#options.reportMs);
  }

  /** A task that still runs has a new outcome: sent with others after a while, so that a closed lid costs little. */
  note(task: HeldTask): void {
    this.#running.add(task);
    this.#dueIn(this.#options.reportMs);
  }

  /** Nothing is left to start here: what is finished may end the job, or spare another worker from running it. */
  flush(): void {
    if (this.#running.size > 0 || this.#waiting.length > 0) this.#dueIn(0);
  }

  /** Sends until `finished` aborts and nothing waits any more, or `giveUp` aborts. */
  async run(finished: AbortSignal, giveUp: AbortSignal): Promise<void> {
    const backoff = new Backoff(this.#options.random, this.#options.sleep);
    while (!giveUp.aborted) {
      if (finished.aborted && this.#waiting.length === 0) return;
      const wait = this.#due === null ? undefined : this.#due - this.#options.now();
      if (!finished.aborted && (wait === undefined || wait > 0)) {
        await this.#bell.wait(finished, wait);
        continue;
      }
      const running = this.#takeRunning();
      const batch = prefix(this.#waiting);
      // What did not fit goes next; what comes meanwhile has its own time.
      const all = this.#running.size === 0 && batch.length === this.#waiting.length;
      this.#due = all ? null : this.#options.now();
      try {
        await this.#send(batch, running, giveUp);
        this.#waiting = this.#waiting.filter((task) => !batch.includes(task));
        for (const task of batch) this.#options.onSettled(task);
        backoff.succeeded();
      } catch (error) {
        for (const task of running) if (!task.ended) this.#running.add(task);
        if (giveUp.aborted) break;
        this.#options.log('report.delayed', {
          tasks: batch.length + running.length,
          reason: messageOf(error),
        });
        await backoff.wait(giveUp);
        this.#dueIn(0);
      }
    }
    if (this.#waiting.length > 0) this.#options.log('report.abandoned', { tasks: this.#waiting.length });
  }

  #wait(task: Reportable): void {
    for (const running of this.#running) if (running === task) this.#running.delete(running);
    this.#waiting.push(task);
  }

  #dueIn(ms: number): void {
    const due = this.#options.now() + ms;
    if (this.#due !== null && this.#due <= due) return;
    this.#due = due;
    this.#bell.ring();
  }

  #takeRunning(): HeldTask[] {
    const taken = prefix([...this.#running]);
    for (const task of taken) this.#running.delete(task);
    return taken;
  }

  async #send(
    batch: readonly Reportable[],
    running: readonly HeldTask[],
    signal: AbortSignal,
  ): Promise<void> {
    const parts = running
      .filter((task) => task.outcomes.length > task.acknowledged)
      .map((task) => ({ task, entry: partialEntryOf(task), upTo: task.outcomes.length }));
    const spoken = batch.filter((task) => !isSilent(task)).map(entryOf);
    const entries = [...spoken, ...parts.map(({ entry }) => entry)];
    if (entries.length > 0) {
      const replies = await this.#report(entries, signal);
      for (const { task, upTo } of parts) {
        task.acknowledged = upTo;
        const reply = replies.get(nameOf(task.lease));
        if (reply === undefined || task.ended) continue;
        if (reply.outcome !== 'accepted') this.#options.onUnwanted(task, reply.code ?? reply.outcome);
        else if (reply.settled !== undefined) this.#options.onItemsSettled(task, reply.settled);
      }
      if (parts.length > 0) this.#options.onSent();
    }
    const returned = batch.filter(isReturned);
    if (returned.length > 0) await this.#release(returned, signal);
  }

  /**
   * The replies by lease. What the control plane refuses to read is sent again in parts, so that one part
   * costs no other.
   */
  async #report(entries: readonly ReportEntry[], signal: AbortSignal): Promise<Map<string, EntryReply>> {
    const { client, workerId, log } = this.#options;
    const replies = new Map<string, EntryReply>();
    try {
      const reply = await client.call(
        'completeBatch',
        { body: { worker_id: workerId, entries: [...entries] } },
        { signal },
      );
      for (const entry of reply.entries) {
        replies.set(nameOf(entry), entry);
        const { task_id, attempt, outcome, code, task_status } = entry;
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
      for (const part of parts)
        for (const [name, reply] of await this.#report(part, signal)) replies.set(name, reply);
    }
    return replies;
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

/** As many of these tasks, from the first on, as one report holds. */
function prefix<Task extends Reportable>(tasks: readonly Task[]): Task[] {
  const batch: Task[] = [];
  let bytes = 0;
  for (const task of tasks) {
    bytes += task.outcomes
      .slice(task.acknowledged)
      .reduce((sum, outcome) => sum + ('output' in outcome ? outcome.output.length : 200), 200);
    if (batch.length > 0 && (batch.length >= BATCH_TASKS || bytes > BATCH_BYTES)) break;
    batch.push(task);
  }
  return batch;
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

export function nameOf({ task_id, attempt }: Pick<EntryReply, 'task_id' | 'attempt'>): string {
  return `${task_id}/${attempt}`;
}

/** Whether the control plane refuses what was sent; who is turned away keeps it until the key is right again. */
function isAboutContent(error: unknown): error is ApiError {
  return error instanceof ApiError && !error.retryable && !error.turnedAway;
}
