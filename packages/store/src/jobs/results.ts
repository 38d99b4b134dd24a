import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { items, jobs } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { type ResultPageArguments, type ResultRow, readResults } from './read-results.ts';

/** Items in one page. */
const PAGE_ITEMS = 1000;
/** Pages read at the same time. With one, the database and this process would take turns. */
const PAGES_AHEAD = 2;

/** The recorded outcome of an item. */
export interface Result {
  /** Position of the item in the job, from 0. */
  readonly seq: number;
  readonly itemId: string;
  /** JSON text; exactly one of `output` and `error` is given. */
  readonly output: string | null;
  /** JSON text. */
  readonly error: string | null;
  readonly model: string | null;
  readonly modelDigest: string | null;
  readonly worker: string | null;
  readonly attempt: number | null;
  /** When the attempt was leased. */
  readonly leasedAt: Date | null;
  /** JSON text. */
  readonly usage: string | null;
  /** The id that the model server gave to a raw request that succeeded. */
  readonly requestId: string | null;
  readonly recordedAt: Date | null;
  /** Computed for another item with the same idempotency key. */
  readonly reused: boolean;
}

const findItem = statement<{ job: string; item: string }, { readonly seq: number }>(
  (arg) => sql`
  select ${items.seq} from ${items} where ${items.jobId} = ${arg.job('uuid')} and ${items.itemId} = ${arg.item('text')}`,
);

/** Returns a row unless the job does not exist or is being pruned. */
const findUnprunedJob = statement<{ job: string }, unknown>(
  (arg) => sql`select from ${jobs} where ${jobs.id} = ${arg.job('uuid')} and ${jobs.prunedAt} is null`,
);

/** Which results of a job are read. */
export interface ResultRange {
  /** The number of items of the job. */
  readonly itemCount: number;
  /**
   * Only results of items behind this position. −1: all.
   * @default -1
   */
  readonly after?: number;
  /**
   * Stops before the first item without a result.
   * @default false
   */
  readonly untilOpen?: boolean;
}

/**
 * Reads the results of a job in the order of submission, in pages. Reads the next pages while one is used. Throws at
 * the end when the job was pruned during the reading.
 */
export async function* resultPages(
  connections: ConnectionPools,
  jobId: string,
  { itemCount, after: start = -1, untilOpen = false }: ResultRange,
): AsyncGenerator<readonly Result[], void, undefined> {
  const ahead: Promise<readonly Result[]>[] = [];
  let after = start;
  let next = start + 1;
  for (;;) {
    while (ahead.length < PAGES_AHEAD && after < itemCount - 1) {
      const page = readPage(connections, { job: jobId, after, limit: PAGE_ITEMS });
      // The error is thrown where the page is awaited. Until then it must not count as unhandled.
      page.catch(() => undefined);
      ahead.push(page);
      after += PAGE_ITEMS;
    }
    const page = await ahead.shift();
    if (page === undefined) break;
    const closed = untilOpen ? page.filter(({ seq }, n) => seq === next + n) : page;
    if (closed.length > 0) yield closed;
    if (untilOpen && closed.length < PAGE_ITEMS) break;
    next += PAGE_ITEMS;
  }
  // A prune marks the job before it deletes anything: without a mark now, every page was complete.
  const unpruned = await findUnprunedJob.run(connections.durable, { job: jobId });
  if (unpruned.length === 0) throw new Error(`Job ${jobId} was pruned while its results were being read.`);
}

/** Finds the position of an item in its job; null if the job has no such item. */
export async function findItemSeq(
  { durable }: ConnectionPools,
  jobId: string,
  itemId: string,
): Promise<number | null> {
  const [item] = await findItem.run(durable, { job: jobId, item: itemId });
  return item?.seq ?? null;
}

/** Reads the result of one item; null when it has none or does not exist. */
export async function resultOf(
  connections: ConnectionPools,
  jobId: string,
  itemId: string,
): Promise<Result | null> {
  const seq = await findItemSeq(connections, jobId, itemId);
  if (seq === null) return null;
  const [result] = await readPage(connections, { job: jobId, after: seq - 1, limit: 1 });
  return result ?? null;
}

/** Reads the results of `limit` items behind `after`. */
export async function readPage(
  connections: ConnectionPools,
  page: ResultPageArguments,
): Promise<readonly Result[]> {
  return (await readResults.run(connections.durable, page)).map(toResult);
}

function toResult(row: ResultRow): Result {
  return {
    seq: row.seq,
    itemId: row.item_id,
    output: row.output,
    error: row.error,
    model: row.model,
    modelDigest: row.model_digest,
    worker: row.worker_id,
    attempt: row.attempt,
    leasedAt: row.leased_at,
    usage: row.usage,
    requestId: row.request_id,
    recordedAt: row.recorded_at,
    reused: row.reused,
  };
}
