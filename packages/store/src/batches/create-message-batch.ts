import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { batches } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { SubmissionRefused, type SubmitReply } from '../jobs/job-draft.ts';
import { newBatchId } from './batch-id.ts';
import { type Batch, type BatchRow, batchRows, toBatch } from './batch-rows.ts';
import { type BatchOfKey, findBatchOfKey, type KeyedRequest, storedKey } from './idempotency.ts';
import { type BatchJobDraft, startBatch } from './submit-batch.ts';

/** A batch of Anthropic's interface. Its requests were checked. */
export interface NewMessageBatch extends KeyedRequest {
  readonly endpoint: string;
  /** From creation until the requests that have not run expire. */
  readonly windowSeconds: number;
  /** Time until the results expire; null: never. */
  readonly resultsExpireSeconds: number | null;
  readonly jobs: readonly BatchJobDraft[];
}

export type MessageBatchReply =
  | { readonly outcome: 'created'; readonly batch: Batch }
  | BatchOfKey
  /** A job was refused. */
  | { readonly outcome: 'refused'; readonly reply: SubmitReply };

/** The claim is held until the transaction ends, and nobody sees the batch before. */
const insertClaimed = statement<
  {
    id: string;
    owner: string;
    endpoint: string;
    windowSeconds: number;
    resultsSeconds: number | null;
    key: string | null;
    digest: string;
  },
  unknown
>(
  (arg) => sql`
  insert into ${batches} (id, owner, state, input_file_id, endpoint, completion_window, output_expires_seconds,
    idempotency_key, body_digest, expires_at, claim, claim_until)
  values (${arg.id('text')}, ${arg.owner('text')}, 'validating', '', ${arg.endpoint('text')}, '',
    ${arg.resultsSeconds('int')}, ${arg.key('text')}, ${arg.digest('text')},
    now() + make_interval(secs => ${arg.windowSeconds('float8')}), 1, 'infinity')
  on conflict (idempotency_key) do nothing
  returning 1`,
);

const endFirstClaim = statement<{ id: string }, BatchRow>(
  (arg) => sql`update ${batches} set claim_until = null where ${batches.id} = ${arg.id('text')}`,
);

const findById = statement<{ id: string }, BatchRow>((arg) =>
  batchRows(sql`where ${batches.id} = ${arg.id('text')}`),
);

/**
 * Creates a batch in progress with its jobs, in one transaction, or returns the batch that exists under its idempotency
 * key. Throws what the items of the jobs throw, and then nothing is stored.
 */
export async function createMessageBatch(
  connections: ConnectionPools,
  batch: NewMessageBatch,
): Promise<MessageBatchReply> {
  const { durable } = connections;
  const id = newBatchId('anthropic');
  try {
    const isNew = await connections.uploads.transaction(async (tx, alive) => {
      const inserted = await insertClaimed.run(tx, {
        id,
        owner: batch.owner,
        endpoint: batch.endpoint,
        windowSeconds: batch.windowSeconds,
        resultsSeconds: batch.resultsExpireSeconds,
        key: storedKey(batch),
        digest: batch.bodyDigest,
      });
      if (inserted.length === 0) return false;
      await startBatch(tx, alive, { id, claim: 1 }, batch.jobs);
      await endFirstClaim.run(tx, { id });
      return true;
    });
    if (isNew) return { outcome: 'created', batch: toBatch(await findById.one(durable, { id })) };
  } catch (error) {
    if (error instanceof SubmissionRefused) return { outcome: 'refused', reply: error.reply };
    throw error;
  }
  const existing = await findBatchOfKey(durable, batch);
  if (existing === null) throw new Error(`A batch was deleted while its idempotency key was used again.`);
  return existing;
}
