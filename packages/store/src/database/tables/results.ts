import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';
import { bytea, moment } from './columns.ts';

/** One outcome for each item. Insert-only: the primary key makes the first one win. */
export const results = pgTable(
  'results',
  {
    jobId: uuid('job_id').notNull(),
    seq: integer('seq').notNull(),
    output: text('output'), // JSON text; the migration sets storage external
    error: text('error'), // JSON text
    taskId: bigint('task_id', { mode: 'bigint' }).notNull(),
    attempt: integer('attempt').notNull(),
    modelId: integer('model_id'),
    usage: text('usage'), // JSON text
    requestId: text('request_id'), // the id that the model server gave to a raw request that succeeded
    reused: boolean('reused').notNull().default(false), // computed for another item with the same key
    recordedAt: moment('recorded_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.jobId, t.seq] }),
    // Few outcomes are errors: their groups must not cost a scan of all outcomes.
    index('results_errors').on(t.jobId, t.seq).where(sql`${t.error} is not null`),
    check('results_output_or_error', sql`(${t.output} is null) <> (${t.error} is null)`),
  ],
);

/** I2, I3: the result for each idempotency key of an owner, one row for each key. Never contains errors. */
export const ledger = pgTable(
  'ledger',
  {
    owner: text('owner').notNull().default(''),
    key: bytea('key').notNull(),
    jobId: uuid('job_id').notNull(),
    seq: integer('seq').notNull(),
  },
  (t) => [primaryKey({ columns: [t.owner, t.key] })],
);

/** Builds of models that workers have reported. */
export const models = pgTable(
  'models',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    name: text('name').notNull(),
    digest: text('digest'),
  },
  (t) => [unique('models_name_digest').on(t.name, t.digest).nullsNotDistinct()],
);

/** The builds that ran for a job's model alias. */
export const jobModels = pgTable(
  'job_models',
  { jobId: uuid('job_id').notNull(), modelId: integer('model_id').notNull() },
  (t) => [primaryKey({ columns: [t.jobId, t.modelId] })],
);
