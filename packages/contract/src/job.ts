import { z } from '@hono/zod-openapi';
import { JOB_STATES, JOB_TYPES, MAX_SHARD_SIZE, RETRY_POLICIES } from '@macbatch/core';
import { itemId } from './item-id.ts';
import { plainText } from './plain-text.ts';

export const JobType = z.enum(JOB_TYPES);

/** What a submission says beside its items. */
export const JobHeader = z
  .strictObject({
    job_type: JobType,
    model: plainText(200).openapi({
      description: 'Alias of the model; each worker maps it to one of its own',
    }),
    params: z
      .record(z.string(), z.unknown())
      .optional()
      .openapi({ description: 'What every item is run with' }),
    shard_size: z
      .int()
      .min(1)
      .max(MAX_SHARD_SIZE)
      .optional()
      .openapi({ description: 'Items per task; 10 when absent' }),
    retry_on: z.enum(RETRY_POLICIES).optional(),
    priority: z
      .int()
      .min(-100)
      .max(100)
      .optional()
      .openapi({ description: 'Jobs with a higher one are served first; 0 when absent' }),
    reuse: z.enum(['ledger', 'none']).optional().openapi({
      description: 'ledger (default): equal items that have an output already are not run again',
    }),
  })
  .openapi('JobHeader');
export type JobHeader = z.infer<typeof JobHeader>;

const SubmittedItem = z
  .strictObject({ id: itemId, payload: z.unknown() })
  .openapi('Item', { description: 'The payload is kept as the text that it is given as' });

export const Submission = JobHeader.extend({ items: z.array(SubmittedItem).min(1) }).openapi('Submission');
export type Submission = z.infer<typeof Submission>;

export const ModelUsed = z
  .object({ name: plainText(500), digest: plainText(200).nullable() })
  .openapi('ModelUsed', { description: 'The model that ran, as its server names it' });

export const JobSummary = z
  .object({
    id: z.uuid(),
    state: z.enum(JOB_STATES),
    job_type: JobType,
    model: z.string(),
    shard_size: z.int(),
    priority: z.int().default(0),
    retry_on: z.enum(RETRY_POLICIES),
    created_at: z.iso.datetime({ offset: true }),
    finished_at: z.iso.datetime({ offset: true }).nullable(),
    cancelled_at: z.iso.datetime({ offset: true }).nullable(),
    items: z.object({
      total: z.int(),
      ok: z.int().openapi({ description: 'Items with an output' }),
      error: z.int().openapi({ description: 'Items whose recorded outcome is an error' }),
      failed: z.int().openapi({ description: 'Items without an outcome whose task has failed' }),
      reused: z.int().openapi({ description: 'Of those ok: taken from an earlier job' }),
      repeated: z
        .int()
        .openapi({ description: 'Items equal to another of this job, which is run once for all of them' }),
      open: z
        .int()
        .openapi({ description: 'Items that are still to run (or were, when the job was cancelled)' }),
    }),
    tasks: z.object({ total: z.int(), pending: z.int(), leased: z.int(), done: z.int(), failed: z.int() }),
    leases_granted: z.int().openapi({ description: 'Attempts over all tasks' }),
    lease_expired_events: z
      .int()
      .openapi({ description: 'Leases lost to the clock: how flaky the pool was' }),
  })
  .openapi('JobSummary');
export type JobSummary = z.infer<typeof JobSummary>;

export const JobView = JobSummary.extend({
  params: z.record(z.string(), z.unknown()),
  models_used: z.array(ModelUsed),
  waiting_for: z
    .string()
    .nullable()
    .default(null)
    .openapi({ description: 'What no worker that is alive offers, where the job needs it' }),
  mixed_models: z
    .boolean()
    .openapi({ description: 'The alias stood for more than one build: outcomes may not be comparable' }),
  workers: z.array(
    z.object({
      worker_id: z.string(),
      leases: z.int(),
      tasks_done: z.int(),
      tasks_failed: z.int(),
      items_ok: z.int(),
      items_error: z.int(),
      first_lease_at: z.iso.datetime({ offset: true }),
      last_report_at: z.iso.datetime({ offset: true }),
    }),
  ),
}).openapi('Job');
export type JobView = z.infer<typeof JobView>;

export const JobPage = z.object({ jobs: z.array(JobSummary), next: z.uuid().nullable() }).openapi('JobPage');

/** One line of a results stream. `output` is spliced in as the worker's own text. */
export const ResultLine = z
  .object({
    id: z.string(),
    status: z.enum(['ok', 'error']),
    output: z.unknown().optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
    model: z.string().nullable(),
    model_digest: z.string().nullable(),
    worker: z.string().nullable(),
    attempt: z.int().nullable(),
    usage: z.record(z.string(), z.number()).nullable(),
    finished_at: z.string().nullable(),
    reused: z
      .boolean()
      .optional()
      .openapi({ description: 'The outcome was computed for another item with the same key' }),
  })
  .openapi('Result');
export type ResultLine = z.infer<typeof ResultLine>;

export const RetryRequest = z
  .strictObject({
    items: z
      .boolean()
      .optional()
      .openapi({ description: 'Also withdraw recorded item errors and run those items again' }),
  })
  .openapi('RetryRequest');

export const RetryReply = z
  .object({ tasks: z.int().openapi({ description: 'Tasks sent back to pending' }), items: z.int() })
  .openapi('RetryReply');

export const JobAudit = z
  .object({
    items: z.int(),
    outcomes: z.int().openapi({ description: 'Items that have a recorded outcome' }),
    duplicate_items: z.int().openapi({ description: 'Items with more than one' }),
    duplicate_keys: z
      .int()
      .openapi({ description: 'Idempotency keys of the job with more than one row in the ledger' }),
  })
  .openapi('JobAudit');
