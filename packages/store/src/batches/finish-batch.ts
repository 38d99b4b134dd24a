import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { batches, files } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { type BatchClaim, BatchClaimLost, isClaimed } from './claim-batch.ts';
import { transition } from './transition.ts';

/** What was written at the end of a batch. */
export interface BatchFiles {
  /** Null when no request succeeded. */
  readonly outputFileId: string | null;
  /** Null when no request failed. */
  readonly errorFileId: string | null;
  readonly completed: number;
  readonly failed: number;
  /** Of the failed ones, those without an outcome. */
  readonly notRun: number;
  /** JSON text. */
  readonly usage: string;
  /** Until the files expire; null: never. */
  readonly expiresInSeconds: number | null;
}

const applyFilesWritten = statement<
  {
    id: string;
    claim: number;
    output: string | null;
    error: string | null;
    completed: number;
    failed: number;
    notRun: number;
    usage: string;
  },
  unknown
>(
  (arg) =>
    sql`${transition(
      'files_written',
      isClaimed(arg.id('text'), arg.claim('float8')),
      sql`, output_file_id = ${arg.output('text')}, error_file_id = ${arg.error('text')},
    total_count = ${arg.completed('int')} + ${arg.failed('int')}, completed_count = ${arg.completed('int')},
    failed_count = ${arg.failed('int')}, not_run_count = ${arg.notRun('int')}, usage = ${arg.usage('text')}`,
    )} returning 1`,
);

const publishFiles = statement<{ ids: readonly string[]; seconds: number | null }, unknown>(
  (arg) => sql`
  update ${files} set state = 'ready', upload_until = null,
    expires_at = ${files.createdAt} + make_interval(secs => ${arg.seconds('float8')})
  where ${files.id} = any(${arg.ids('text[]')}) and ${files.state} = 'uploading'
  returning 1`,
);

const deleteOldBatches = statement<{ days: number }, unknown>(
  (arg) => sql`
  delete from ${batches} where ${batches.id} in (
    select ${batches.id} from ${batches}
    where coalesce(${batches.completedAt}, ${batches.failedAt}, ${batches.expiredAt}, ${batches.cancelledAt}) < now() - make_interval(days => ${arg.days('int')})
    limit 1000 for update skip locked
  )`,
);

/** Ends a batch and shows its files, both or neither. Throws `BatchClaimLost`, and then nothing has changed. */
export async function finishBatch(
  { durable }: ConnectionPools,
  { id, claim }: BatchClaim,
  written: BatchFiles,
): Promise<void> {
  const ids = [written.outputFileId, written.errorFileId].filter((file) => file !== null);
  await durable.transaction(async (tx) => {
    const ended = await applyFilesWritten.run(tx, {
      id,
      claim,
      output: written.outputFileId,
      error: written.errorFileId,
      completed: written.completed,
      failed: written.failed,
      notRun: written.notRun,
      usage: written.usage,
    });
    const published = await publishFiles.run(tx, { ids, seconds: written.expiresInSeconds });
    if (ended.length === 0 || published.length < ids.length) throw new BatchClaimLost(id);
  });
}

/** Deletes batches that ended this many days ago. Their jobs and files have retention times of their own. */
export async function removeOldBatches({ durable }: ConnectionPools, days: number): Promise<void> {
  await deleteOldBatches.run(durable, { days });
}
