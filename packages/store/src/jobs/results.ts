import type { ConnectionPools } from '@macbatch/connection';
import { type Statement, statement } from '../database/statement.ts';
import { findItem, keptJob, type ResultRow, readResults } from './result-statements.ts';

/** Items that one page looks at. */
const PAGE_ITEMS = 1000;
/** Pages that are being read at once: with one the database and this process would take turns. */
const PAGES_AHEAD = 2;

export interface Result {
  readonly itemId: string;
  /** JSON text; exactly one of `output` and `error` is given. */
  readonly output: string | null;
  /** JSON text. */
  readonly error: string | null;
  readonly model: string | null;
  readonly modelDigest: string | null;
  readonly worker: string | null;
  readonly attempt: number | null;
  /** JSON text. */
  readonly usage: string | null;
  readonly recordedAt: Date | null;
  /** Computed for another item with the same key. */
  readonly reused: boolean;
}

type PageArguments = { job: string; after: number; limit: number };

/** Reads the outcomes of a job. */
export class Results {
  readonly #connections: ConnectionPools;
  readonly #page: Statement<PageArguments, ResultRow>;
  readonly #find: Statement<{ job: string; item: string }, { seq: number }>;

  readonly #kept: Statement<{ job: string }, unknown>;

  constructor(connections: ConnectionPools) {
    this.#connections = connections;
    this.#page = statement(readResults);
    this.#find = statement(findItem);
    this.#kept = statement(keptJob);
  }

  /** Pages of outcomes in the order of submission. The next ones are read while one is being used. */
  async *pages(jobId: string, itemCount: number): AsyncGenerator<readonly Result[], void, undefined> {
    const ahead: Promise<readonly Result[]>[] = [];
    let after = -1;
    for (;;) {
      while (ahead.length < PAGES_AHEAD && after < itemCount - 1) {
        const read = this.#read(jobId, after, PAGE_ITEMS);
        // Its failure is met when it is awaited; without this it would count as unhandled until then.
        read.catch(() => undefined);
        ahead.push(read);
        after += PAGE_ITEMS;
      }
      const page = await ahead.shift();
      if (page === undefined) break;
      if (page.length > 0) yield page;
    }
    // A job is marked before anything of it goes: without a mark by now every page was whole.
    const kept = await this.#kept.run(this.#connections.durable, { job: jobId });
    if (kept.length === 0) throw new Error(`the job ${jobId} was pruned while its outcomes were being read`);
  }

  /** The outcome of one item, or null where there is none yet or no such item. */
  async of(jobId: string, itemId: string): Promise<Result | null> {
    const [place] = await this.#find.run(this.#connections.durable, { job: jobId, item: itemId });
    if (place === undefined) return null;
    const [result] = await this.#read(jobId, place.seq - 1, 1);
    return result ?? null;
  }

  async #read(job: string, after: number, limit: number): Promise<readonly Result[]> {
    const rows = await this.#page.run(this.#connections.durable, { job, after, limit });
    return rows.map((row) => ({
      itemId: row.item_id,
      output: row.output,
      error: row.error,
      model: row.model,
      modelDigest: row.model_digest,
      worker: row.worker_id,
      attempt: row.attempt,
      usage: row.usage,
      recordedAt: row.recorded_at,
      reused: row.reused,
    }));
  }
}
