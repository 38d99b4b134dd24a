import { BATCH_STATES, ENDED_BATCH_STATES } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { literals, moment } from './columns.ts';

/** Batches of the interfaces of OpenAI and Anthropic. While one runs, its counts are those of its jobs. */
export const batches = pgTable(
  'batches',
  {
    id: text('id').primaryKey(), // batch_ or msgbatch_ and a uuid v7: the order of ids is the order of creation
    /** The group of keys that owns the batch; empty if the pool works without keys. */
    owner: text('owner').notNull().default(''),
    state: text('state').notNull(),
    inputFileId: text('input_file_id').notNull(), // empty for Anthropic, whose requests come without a file
    endpoint: text('endpoint').notNull(),
    completionWindow: text('completion_window').notNull(),
    metadata: text('metadata'), // JSON text
    outputExpiresSeconds: integer('output_expires_seconds'),
    idempotencyKey: text('idempotency_key'), // includes the owner
    bodyDigest: text('body_digest').notNull(), // detects another body under the same idempotency key
    model: text('model'),
    errors: text('errors'), // JSON text: what is wrong with the input file
    /** Counts of the lines that were written. Null until the batch has ended. */
    totalCount: integer('total_count'),
    completedCount: integer('completed_count'),
    failedCount: integer('failed_count'),
    notRunCount: integer('not_run_count'), // of the failed ones, those without an outcome
    usage: text('usage'), // JSON text: the sum over the lines
    outputFileId: text('output_file_id'),
    errorFileId: text('error_file_id'),
    createdAt: moment('created_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
    inProgressAt: moment('in_progress_at'),
    finalizingAt: moment('finalizing_at'),
    completedAt: moment('completed_at'),
    failedAt: moment('failed_at'),
    expiredAt: moment('expired_at'),
    cancellingAt: moment('cancelling_at'),
    cancelledAt: moment('cancelled_at'),
    /** How often a control plane claimed the batch to work on it. Fences: an older claim writes nothing. */
    claim: bigint('claim', { mode: 'number' }).notNull().default(0),
    /** Until then no other control plane claims the batch. */
    claimUntil: moment('claim_until'),
  },
  (t) => [
    uniqueIndex('batches_idempotency_key').on(t.idempotencyKey),
    index('batches_owner').on(t.owner, t.id),
    index('batches_open')
      .on(t.id)
      .where(sql`${t.state} not in (${literals(ENDED_BATCH_STATES)})`),
    index('batches_input').on(t.inputFileId).where(sql`${t.state} = 'validating'`),
    check('batches_state', sql`${t.state} in (${literals(BATCH_STATES)})`),
  ],
);

/** The jobs of a batch: one for each model, in the order of the models' first lines. */
export const batchJobs = pgTable(
  'batch_jobs',
  {
    batchId: text('batch_id').notNull(),
    position: integer('position').notNull(),
    jobId: uuid('job_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.batchId, t.position] }), uniqueIndex('batch_jobs_job').on(t.jobId)],
);
