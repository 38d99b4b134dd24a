import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import type postgres from 'postgres';
import { uuidv7 } from 'uuidv7';
import { batchJobs } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import type { ItemSource, JobDraft, SubmitReply } from '../jobs/job-draft.ts';
import { SubmissionRefused } from '../jobs/job-draft.ts';
import { storeJob } from '../jobs/submit-job.ts';
import { type BatchClaim, BatchClaimLost, isClaimed } from './claim-batch.ts';
import { transition } from './transition.ts';

/** A job of a batch, and the items of the input file that belong to it. */
export interface BatchJobDraft {
  readonly draft: Omit<JobDraft, 'id' | 'idempotencyKey'>;
  readonly items: () => ItemSource;
}

const insertBatchJob = statement<{ batch: string; position: number; job: string }, never>(
  (arg) => sql`
  insert into ${batchJobs} (batch_id, position, job_id)
  values (${arg.batch('text')}, ${arg.position('int')}, ${arg.job('uuid')})`,
);

const applyValid = statement<{ id: string; claim: number; model: string }, unknown>(
  (arg) =>
    sql`${transition('input_valid', isClaimed(arg.id('text'), arg.claim('float8')), sql`, model = ${arg.model('text')}`)} returning 1`,
);

/**
 * Stores the jobs of a batch and starts it, in one transaction: a batch is in progress exactly when its jobs exist.
 * Returns the refusal of a job. Throws `BatchClaimLost`, and then nothing is stored.
 */
export async function submitBatch(
  connections: ConnectionPools,
  claim: BatchClaim,
  jobs: readonly BatchJobDraft[],
): Promise<SubmitReply | null> {
  try {
    await connections.uploads.transaction((tx, alive) => startBatch(tx, alive, claim, jobs));
    return null;
  } catch (error) {
    if (error instanceof SubmissionRefused) return error.reply;
    throw error;
  }
}

/** Stores the jobs of a batch inside a transaction of the caller. Throws `SubmissionRefused` and `BatchClaimLost`. */
export async function startBatch(
  tx: postgres.Sql,
  alive: () => void,
  claim: BatchClaim,
  jobs: readonly BatchJobDraft[],
): Promise<void> {
  for (const [position, job] of jobs.entries()) await storeBatchJob(tx, alive, claim, position, job);
  const started = await applyValid.run(tx, { ...claim, model: jobs[0]?.draft.model ?? '' });
  if (started.length === 0) throw new BatchClaimLost(claim.id);
}

async function storeBatchJob(
  tx: postgres.Sql,
  alive: () => void,
  { id: batch }: BatchClaim,
  position: number,
  { draft, items }: BatchJobDraft,
): Promise<void> {
  const job = { ...draft, id: uuidv7(), idempotencyKey: null };
  // A later COPY of the same transaction may last as long as the first one.
  if (position > 0) await tx`set local statement_timeout = 0`;
  // The digest distinguishes repeated submissions. A batch is submitted once.
  await storeJob(tx, alive, job, items(), () => '');
  await insertBatchJob.run(tx, { batch, position, job: job.id });
}
