import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { batches, files } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { fileIsReady } from '../files/file-rows.ts';
import { newBatchId } from './batch-id.ts';
import { type Batch, type BatchRow, batchRows, toBatch } from './batch-rows.ts';
import { type BatchOfKey, findBatchOfKey, storedKey } from './idempotency.ts';

/** From creation until the requests that have not run expire. */
const COMPLETION_WINDOW_SECONDS = { '24h': 24 * 60 * 60 } as const;
type CompletionWindow = keyof typeof COMPLETION_WINDOW_SECONDS;

export interface NewBatch {
  readonly owner: string;
  readonly inputFileId: string;
  /** The input file must be of this owner; null for any. */
  readonly fileOwner: string | null;
  readonly endpoint: string;
  readonly completionWindow: CompletionWindow;
  /** JSON text. */
  readonly metadata: string | null;
  readonly outputExpiresSeconds: number | null;
  readonly idempotencyKey: string | null;
  /** Distinguishes a repeated request from another body under the same idempotency key. */
  readonly bodyDigest: string;
}

export type BatchReply =
  | { readonly outcome: 'created'; readonly batch: Batch }
  | BatchOfKey
  /** There is no such file with the purpose `batch`, or it has expired. */
  | { readonly outcome: 'no_file' };

/** The lock on the file keeps it from being deleted before the batch is seen: see `deleteFile`. */
const insertBatch = statement<
  {
    id: string;
    owner: string;
    file: string;
    fileOwner: string | null;
    endpoint: string;
    window: string;
    windowSeconds: number;
    metadata: string | null;
    outputSeconds: number | null;
    key: string | null;
    digest: string;
  },
  unknown
>(
  (arg) => sql`
  with input as (
    select ${files.id} from ${files}
    where ${files.id} = ${arg.file('text')} and ${files.purpose} = 'batch' and ${fileIsReady}
      and (${arg.fileOwner('text')} is null or ${files.owner} = ${arg.fileOwner('text')})
    for key share
  )
  insert into ${batches} (id, owner, state, input_file_id, endpoint, completion_window, metadata, output_expires_seconds,
    idempotency_key, body_digest, expires_at)
  select ${arg.id('text')}, ${arg.owner('text')}, 'validating', input.id, ${arg.endpoint('text')}, ${arg.window('text')},
    ${arg.metadata('text')}, ${arg.outputSeconds('int')}, ${arg.key('text')}, ${arg.digest('text')},
    now() + make_interval(secs => ${arg.windowSeconds('float8')})
  from input
  on conflict (idempotency_key) do nothing
  returning 1`,
);

const findById = statement<{ id: string }, BatchRow>((arg) =>
  batchRows(sql`where ${batches.id} = ${arg.id('text')}`),
);

/** Creates a batch, or returns the one that exists under its idempotency key. */
export async function createBatch({ durable }: ConnectionPools, batch: NewBatch): Promise<BatchReply> {
  const id = newBatchId('openai');
  const existing = () => findBatchOfKey(durable, batch);
  // Looked up first: the input file of an existing batch may be gone.
  const earlier = await existing();
  if (earlier !== null) return earlier;
  const created = await insertBatch.run(durable, {
    id,
    owner: batch.owner,
    file: batch.inputFileId,
    fileOwner: batch.fileOwner,
    endpoint: batch.endpoint,
    window: batch.completionWindow,
    windowSeconds: COMPLETION_WINDOW_SECONDS[batch.completionWindow],
    metadata: batch.metadata,
    outputSeconds: batch.outputExpiresSeconds,
    key: storedKey(batch),
    digest: batch.bodyDigest,
  });
  if (created.length === 0) return (await existing()) ?? { outcome: 'no_file' };
  return { outcome: 'created', batch: toBatch(await findById.one(durable, { id })) };
}
