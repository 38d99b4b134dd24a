import type { ConnectionPools } from '@macbatch/connection';
import {
  failureGroupId,
  ITEM_STATES,
  type ItemFailure,
  type ItemState,
  readItemFailure,
} from '@macbatch/core';
import { knownValue } from '../database/known-value.ts';
import type { Job } from '../jobs/job.ts';
import { failureSeqs } from './failure-seqs.ts';
import { type ItemRow, itemsByPrefix, itemsBySeqs } from './item-rows.ts';
import { itemSeqs, seqsByPrefix } from './item-seqs.ts';

/** If more ids than this begin with a text, the items are read in order instead: then many of them fit. */
const MAX_FOUND = 1000;

/** Which items of a job are listed. */
export interface ItemQuery {
  readonly state?: ItemState | undefined;
  /** Only items of this group of failures. */
  readonly failure?: string | undefined;
  /** Only items whose ids begin with this text. */
  readonly prefix?: string | undefined;
  /** Only items behind this position. −1: all. */
  readonly after: number;
  readonly limit: number;
}

/** An item of a list. */
export interface ListedItem {
  /** Position of the item in the job, from 0. */
  readonly seq: number;
  readonly itemId: string;
  readonly state: ItemState;
  readonly failure: ItemFailure | null;
  /** The worker of the outcome, or of the last lease of a failed task. */
  readonly worker: string | null;
  readonly attempt: number | null;
  readonly leasedAt: Date | null;
  readonly recordedAt: Date | null;
  readonly inputBytes: number;
  readonly outputBytes: number | null;
  /** Computed for another item with the same idempotency key. */
  readonly reused: boolean;
}

export interface ItemPage {
  readonly items: readonly ListedItem[];
  /** The `after` of the next page; null: there is none. */
  readonly next: number | null;
}

/** Reads a page of items, in the order of submission. */
export async function listItems(connections: ConnectionPools, job: Job, query: ItemQuery): Promise<ItemPage> {
  const { durable } = connections;
  const { after, limit, state, failure, prefix = null } = query;
  const page = { job: job.id, after, limit, state: state ?? null };

  /** Reads items that were found before. Those that have another state by now are left out. */
  const readFound = async (seqs: readonly number[]): Promise<ItemPage> => ({
    items: (await itemsBySeqs.run(durable, { ...page, seqs })).map(toListedItem),
    next: seqs.length < limit ? null : (seqs.at(-1) ?? null),
  });
  const found = prefix === null ? null : await findByPrefix(connections, job.id, prefix);
  if (found !== null) {
    const rows = await itemsBySeqs.run(durable, { ...page, seqs: found, limit: MAX_FOUND });
    return firstOf(rows.map(toListedItem).filter(isOfGroup(failure)), limit);
  }
  if (failure !== undefined) {
    const { items, next } = await readFound(
      await failureSeqs(connections, job.id, failure, { after, limit }),
    );
    return { items: items.filter(({ itemId }) => itemId.startsWith(prefix ?? '')), next };
  }
  if (prefix === null && state !== undefined && hasIndex(job, state)) {
    const rows = await itemSeqs[state].run(durable, { job: job.id, after, limit });
    return readFound(rows.map(({ seq }) => seq));
  }
  const rows = await itemsByPrefix.run(durable, { ...page, prefix });
  return { items: rows.map(toListedItem), next: rows.length < limit ? null : (rows.at(-1)?.seq ?? null) };
}

function firstOf(items: readonly ListedItem[], limit: number): ItemPage {
  const first = items.slice(0, limit);
  return { items: first, next: items.length > limit ? (first.at(-1)?.seq ?? null) : null };
}

/** Whether an item belongs to a group of failures; without a group, any item does. */
const isOfGroup =
  (group: string | undefined) =>
  ({ failure }: ListedItem): boolean =>
    group === undefined || (failure !== null && failureGroupId(failure) === group);

/** Returns null when too many ids begin with the text. */
async function findByPrefix(
  { durable }: ConnectionPools,
  job: string,
  prefix: string,
): Promise<readonly number[] | null> {
  const rows = await seqsByPrefix.run(durable, { job, prefix, limit: MAX_FOUND + 1 });
  return rows.length > MAX_FOUND ? null : rows.map(({ seq }) => seq);
}

function hasIndex(job: Job, state: ItemState): boolean {
  return state === 'ok' || state === 'error' || (job.cancelledAt === null && job.repeated === 0);
}

function toListedItem(row: ItemRow): ListedItem {
  return {
    seq: row.seq,
    itemId: row.item_id,
    state: knownValue(ITEM_STATES, row.state),
    failure: row.error === null ? null : readItemFailure(row.error),
    worker: row.worker_id,
    attempt: row.attempt,
    leasedAt: row.leased_at,
    recordedAt: row.recorded_at,
    inputBytes: row.input_bytes,
    outputBytes: row.output_bytes,
    reused: row.reused,
  };
}
