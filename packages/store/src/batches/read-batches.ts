import type { ConnectionPools } from '@macbatch/connection';
import { type SQL, sql } from 'drizzle-orm';
import { batches } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { type BatchApi, idRange } from './batch-id.ts';
import { type Batch, type BatchRow, batchRows, toBatch } from './batch-rows.ts';

export interface BatchPage {
  readonly api: BatchApi;
  /** Only batches of this owner; null for all. */
  readonly owner: string | null;
  /** Only batches that are older than this one; null for all. */
  readonly after: string | null;
  /** The oldest batches that are newer than this one; null for the newest ones. */
  readonly before?: string | null;
  readonly limit: number;
}

const findBatchRow = statement<{ id: string }, BatchRow>((arg) =>
  batchRows(sql`where ${batches.id} = ${arg.id('text')}`),
);

type ListArguments = {
  owner: string | null;
  from: string;
  to: string;
  after: string | null;
  before: string | null;
  limit: number;
};

const listInOrder = (direction: SQL) =>
  statement<ListArguments, BatchRow>((arg) =>
    batchRows(sql`
    where (${arg.owner('text')} is null or ${batches.owner} = ${arg.owner('text')})
      and ${batches.id} > ${arg.from('text')} and ${batches.id} < ${arg.to('text')}
      and (${arg.after('text')} is null or ${batches.id} < ${arg.after('text')})
      and (${arg.before('text')} is null or ${batches.id} > ${arg.before('text')})
    order by ${batches.id} ${direction} limit ${arg.limit('int')}`),
  );
const listNewest = listInOrder(sql`desc`);
const listOldest = listInOrder(sql`asc`);

/** Reads a batch; null if there is none with this id. */
export async function findBatch({ durable }: ConnectionPools, id: string): Promise<Batch | null> {
  const [row] = await findBatchRow.run(durable, { id });
  return row === undefined ? null : toBatch(row);
}

/** Reads a page of batches, newest first. */
export async function listBatches(
  { durable }: ConnectionPools,
  { api, before = null, ...page }: BatchPage,
): Promise<Batch[]> {
  const found = { ...page, ...idRange(api), before };
  if (before === null) return (await listNewest.run(durable, found)).map(toBatch);
  return (await listOldest.run(durable, found)).map(toBatch).reverse();
}
