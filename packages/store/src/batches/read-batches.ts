import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { batches } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { type Batch, type BatchRow, batchRows, toBatch } from './batch-rows.ts';

export interface BatchPage {
  /** Only batches of this owner; null for all. */
  readonly owner: string | null;
  /** Only batches that are older than this one; null for all. */
  readonly after: string | null;
  readonly limit: number;
}

const findBatchRow = statement<{ id: string }, BatchRow>((arg) =>
  batchRows(sql`where ${batches.id} = ${arg.id('text')}`),
);

const listBatchRows = statement<{ owner: string | null; after: string | null; limit: number }, BatchRow>(
  (arg) =>
    batchRows(sql`
    where (${arg.owner('text')} is null or ${batches.owner} = ${arg.owner('text')})
      and (${arg.after('text')} is null or ${batches.id} < ${arg.after('text')})
    order by ${batches.id} desc limit ${arg.limit('int')}`),
);

/** Reads a batch; null if there is none with this id. */
export async function findBatch({ durable }: ConnectionPools, id: string): Promise<Batch | null> {
  const [row] = await findBatchRow.run(durable, { id });
  return row === undefined ? null : toBatch(row);
}

/** Reads a page of batches, newest first. */
export async function listBatches({ durable }: ConnectionPools, page: BatchPage): Promise<Batch[]> {
  return (await listBatchRows.run(durable, { ...page })).map(toBatch);
}
