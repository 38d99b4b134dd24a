import type { ConnectionPools } from '@macbatch/connection';
import { type Statement, statement } from '../database/statement.ts';
import { onceMore } from '../database/transient.ts';
import {
  markedJob,
  markJob,
  type PrunableRow,
  prunable,
  pruneEvents,
  pruneItems,
  pruneJob,
  pruneTasks,
  type StepRow,
} from './prune-statements.ts';

/** Jobs that one call deletes at most: many small ones take longer than their rows say. */
const JOB_LIMIT = 200;
/** Rows that one statement deletes at most: a bound on how long its locks are held. */
const STEP_ROWS = 5000;
/** An item has a row in each of items, results and ledger. */
const ROWS_AN_ITEM = 3;

export interface PruneCall {
  /** Jobs that ended longer ago than this, by the database's clock. */
  readonly olderThanSeconds: number;
  /** Rows that are deleted at most, give or take one task with its leases or one job with its tallies. */
  readonly rowLimit: number;
}

/** What a prune has still to delete. */
export interface Prunable {
  readonly jobs: number;
  readonly items: number;
  readonly tasks: number;
  readonly payloadBytes: number;
}

export interface Pruned {
  readonly jobs: number;
  readonly rows: number;
  /** Another prune was at a job that is left. */
  readonly left: Prunable;
}

type JobArguments = { job: string };
type StepArguments = JobArguments & { limit: number };

/**
 * Deletes jobs that ended long ago. Each is marked first, from when on nobody sees it, and then goes in steps of
 * their own; wherever that stops, the next call goes on with it.
 */
export class Pruner {
  readonly #connections: ConnectionPools;
  readonly #prunable: Statement<{ seconds: number }, PrunableRow>;
  readonly #marked: Statement<Record<string, never>, { id: string }>;
  readonly #mark: Statement<{ seconds: number }, { id: string }>;
  readonly #tasks: Statement<StepArguments, StepRow>;
  readonly #items: Statement<StepArguments, StepRow>;
  readonly #events: Statement<StepArguments, StepRow>;
  readonly #job: Statement<JobArguments, StepRow>;

  constructor(connections: ConnectionPools) {
    this.#connections = connections;
    this.#prunable = statement(prunable);
    this.#marked = statement(markedJob);
    this.#mark = statement(markJob);
    this.#tasks = statement(pruneTasks);
    this.#items = statement(pruneItems);
    this.#events = statement(pruneEvents);
    this.#job = statement(pruneJob);
  }

  /** What a prune would delete. */
  async left(olderThanSeconds: number): Promise<Prunable> {
    const [row] = await this.#prunable.run(this.#connections.long, { seconds: olderThanSeconds });
    if (row === undefined) throw new Error('the count of what can be pruned answered nothing');
    return { jobs: row.jobs, items: row.items, tasks: row.tasks, payloadBytes: row.payload_bytes };
  }

  async prune({ olderThanSeconds, rowLimit }: PruneCall): Promise<Pruned> {
    let jobs = 0;
    let rows = 0;
    while (rows < rowLimit && jobs < JOB_LIMIT) {
      const job = await this.#next(olderThanSeconds);
      if (job === null) break;
      const { deleted, gone } = await this.#delete(job, rowLimit - rows);
      rows += deleted;
      if (gone) jobs += 1;
    }
    return { jobs, rows, left: await this.left(olderThanSeconds) };
  }

  async #next(seconds: number): Promise<string | null> {
    const client = this.#connections.long;
    const [begun] = await this.#marked.run(client, {});
    if (begun !== undefined) return begun.id;
    const [marked] = await this.#mark.run(client, { seconds });
    return marked?.id ?? null;
  }

  async #delete(
    job: string,
    rowLimit: number,
  ): Promise<{ readonly deleted: number; readonly gone: boolean }> {
    let deleted = 0;
    const steps = [
      { statement: this.#tasks, rowsEach: 1 },
      { statement: this.#items, rowsEach: ROWS_AN_ITEM },
      { statement: this.#events, rowsEach: 1 },
    ];
    for (const step of steps) {
      for (;;) {
        const room = Math.min(STEP_ROWS, rowLimit - deleted);
        if (room <= 0) return { deleted, gone: false };
        const limit = Math.max(1, Math.floor(room / step.rowsEach));
        const row = await this.#step(step.statement, { job, limit });
        deleted += row.rows;
        if (!row.more) break;
      }
    }
    const last = await this.#step(this.#job, { job });
    return { deleted: deleted + last.rows, gone: last.rows > 0 };
  }

  async #step<Arguments extends JobArguments>(
    step: Statement<Arguments, StepRow>,
    args: Arguments,
  ): Promise<StepRow> {
    const [row] = await onceMore(() => step.run(this.#connections.long, args));
    if (row === undefined) throw new Error('a step of pruning answered nothing');
    return row;
  }
}
