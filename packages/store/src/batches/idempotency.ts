import type { ConnectionPool } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { batches } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { type Batch, type BatchRow, batchRows, toBatch } from './batch-rows.ts';

/** What distinguishes a repeated request from another one. */
export interface KeyedRequest {
  readonly owner: string;
  readonly idempotencyKey: string | null;
  /** Distinguishes a repeated request from another body under the same idempotency key. */
  readonly bodyDigest: string;
}

/** A batch that was created before under the same idempotency key. `key_reused`: of another body. */
export interface BatchOfKey {
  readonly outcome: 'existing' | 'key_reused';
  readonly batch: Batch;
}

const findByKey = statement<{ key: string }, BatchRow>((arg) =>
  batchRows(sql`where ${batches.idempotencyKey} = ${arg.key('text')}`),
);

/** The idempotency key as it is stored: groups may use equal keys. */
export function storedKey({ owner, idempotencyKey }: KeyedRequest): string | null {
  return idempotencyKey === null ? null : `${owner}\n${idempotencyKey}`;
}

/** Finds the batch that exists under the idempotency key of a request. */
export async function findBatchOfKey(
  pool: ConnectionPool,
  request: KeyedRequest,
): Promise<BatchOfKey | null> {
  const key = storedKey(request);
  const [row] = key === null ? [] : await findByKey.run(pool, { key });
  if (row === undefined) return null;
  const outcome = row.body_digest === request.bodyDigest ? 'existing' : 'key_reused';
  return { outcome, batch: toBatch(row) };
}
