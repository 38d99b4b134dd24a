import { z } from '@hono/zod-openapi';
import { JOB_STATES, JOB_TYPES, MAX_SHARD_SIZE, RETRY_POLICIES, WORK_TYPES } from '@macbatch/core';
import { itemId } from './item-id.ts';
import { plainText } from './plain-text.ts';

export const JobType = z.enum(JOB_TYPES);

/** What workers offer and lease: a job type, and for raw requests also the endpoint. */
export const WorkType = z.enum(WORK_TYPES);

/** Highest priority of a job; the lowest is its negative. */
export const MAX_PRIORITY = 100;

/** Longest name of a job, in UTF-16 code units. */
export const MAX_JOB_NAME_LENGTH = 200;

/** A submission without its items. */
export const JobHeader = z
  .strictObject({
    job_type: JobType,
    model: plainText(200).openapi({
      description: 'Alias of the model; each worker maps it to a model of its server',
    }),
    params: z.record(z.string(), z.unknown()).optional().openapi({ description: 'Parameters of every item' }),
    shard_size: z
      .int()
      .min(1)
      .max(MAX_SHARD_SIZE)
      .optional()
      .openapi({ description: 'Items per task; 10 by default' }),
    retry_on: z.enum(RETRY_POLICIES).optional(),
    priority: z
      .int()
      .min(-MAX_PRIORITY)
      .max(MAX_PRIORITY)
      .optional()
      .openapi({ description: 'Jobs with a higher priority go first; 0 by default' }),
    reuse: z.enum(['ledger', 'none']).optional().openapi({
      description:
        'ledger (default): takes the output of an equal item that has run before; none: runs every item',
    }),
    name: plainText(MAX_JOB_NAME_LENGTH).optional().openapi({
      description:
        'For people, in lists. Not part of what makes two submissions the same: a repeated submission finds the job under its first name',
    }),
  })
  .openapi('JobHeader');
export type JobHeader = z.infer<typeof JobHeader>;

const SubmittedItem = z
  .strictObject({ id: itemId, payload: z.unknown() })
  .openapi('Item', { description: 'The text of the payload is kept as it is' });

export const Submission = JobHeader.extend({ items: z.array(SubmittedItem).min(1) }).openapi('Submission');
export type Submission = z.infer<typeof Submission>;

/** Longest name and digest of a model that ran, in UTF-16 code units. */
export const MAX_MODEL_NAME_LENGTH = 500;
export const MAX_MODEL_DIGEST_LENGTH = 200;

export const ModelUsed = z
  .object({
    name: plainText(MAX_MODEL_NAME_LENGTH),
    digest: plainText(MAX_MODEL_DIGEST_LENGTH).nullable(),
  })
  .openapi('ModelUsed', { description: 'The model that ran, with the name that its server gives it' });

export const JobSummary = z
  .object({
    id: z.uuid(),
    name: z.string().nullable().default(null),
    submitted_by: z.string().nullable().default(null).openapi({
      description: 'The name of the key that submitted the job, if that is known',
    }),
    group: z.string().default('').openapi({
      description: 'The group of keys that owns the job; empty if it was submitted without a key',
    }),
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
      reused: z
        .int()
        .openapi({ description: 'Of the ok items, those whose output comes from an earlier job' }),
      repeated: z
        .int()
        .openapi({ description: 'Items that equal another item of this job; equal items run once' }),
      open: z
        .int()
        .openapi({ description: 'Items that are still to run, or were when the job was cancelled' }),
    }),
    tasks: z.object({ total: z.int(), pending: z.int(), leased: z.int(), done: z.int(), failed: z.int() }),
    smaller_tasks: z.int().default(0).openapi({
      description: 'Tasks with fewer items than shard_size, because of max_task_bytes',
    }),
    max_task_bytes: z.int().nullable().default(null).openapi({
      description: 'Most bytes of payloads in a task. A larger item has a task of its own',
    }),
    max_lease_bytes: z.int().nullable().default(null).openapi({
      description: 'Most bytes of payloads in a reply to a lease call. A larger task has a reply of its own',
    }),
    leases_granted: z.int().openapi({ description: 'Leases granted, over all tasks' }),
    lease_expired_events: z
      .int()
      .openapi({ description: 'Leases that expired: a measure of how unreliable the pool was' }),
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
    .openapi({ description: 'The model or job type that the job needs and no alive worker offers' }),
  mixed_models: z.boolean().openapi({
    description: 'Workers ran different builds under this alias, so outcomes may not be comparable',
  }),
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

/** One line of a results stream. `output` is the exact text that the worker reported. */
export const ResultLine = z
  .object({
    seq: z.int().optional().openapi({ description: 'Position of the item in the job, if `after` is given' }),
    leased_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .optional()
      .openapi({ description: 'When the attempt was leased, if `after` is given' }),
    id: z.string(),
    status: z.enum(['ok', 'error']),
    output: z.unknown().optional(),
    error: z
      .object({
        code: z.string(),
        message: z.string(),
        response: z
          .object({ status_code: z.int(), request_id: z.string().optional(), body: z.unknown() })
          .optional()
          .openapi({ description: 'What the model server answered to a raw request' }),
      })
      .optional(),
    model: z.string().nullable(),
    model_digest: z.string().nullable(),
    worker: z.string().nullable(),
    attempt: z.int().nullable(),
    usage: z.record(z.string(), z.number()).nullable(),
    finished_at: z.string().nullable(),
    request_id: z
      .string()
      .optional()
      .openapi({ description: 'The id that the model server gave to a raw request that succeeded' }),
    reused: z
      .boolean()
      .optional()
      .openapi({ description: 'The outcome belongs to another item with the same idempotency key' }),
  })
  .openapi('Result');
export type ResultLine = z.infer<typeof ResultLine>;

/** The id of a group of failures. */
export const FailureGroupId = z.string().regex(/^[0-9a-f]{8}$/, 'expected eight hexadecimal digits');

export const FailureList = z
  .object({
    groups: z.array(
      z
        .object({
          id: FailureGroupId.openapi({ description: 'The same for this kind of failure in every job' }),
          code: z.string(),
          message: z.string().openapi({ description: 'The message of the example' }),
          count: z.int().openapi({ description: 'Failed items' }),
          example_id: z.string().openapi({ description: 'The id of one of the items' }),
        })
        .openapi('FailureGroup'),
    ),
    others: z.int().openapi({
      description:
        'Failed items in none of these groups: at most 50 groups of the first 10,000 failures are listed',
    }),
  })
  .openapi('FailureList');

export const RetryRequest = z
  .strictObject({
    items: z.boolean().optional().openapi({ description: 'Also runs items again that ended with an error' }),
    failure: FailureGroupId.optional().openapi({
      description:
        'Only the failures of this group, which `listFailures` names: item errors and failed tasks',
    }),
  })
  .openapi('RetryRequest');

export const RetryReply = z
  .object({ tasks: z.int().openapi({ description: 'Tasks sent back to pending' }), items: z.int() })
  .openapi('RetryReply');

/** The most keys in one request. */
export const MAX_LEDGER_KEYS = 5000;

export const LedgerRequest = z
  .strictObject({
    keys: z
      .array(z.string().regex(/^[0-9a-f]{64}$/))
      .min(1)
      .max(MAX_LEDGER_KEYS)
      .openapi({ description: 'Idempotency keys of items, in hex' }),
  })
  .openapi('LedgerRequest');

export const LedgerReply = z
  .object({ known: z.int().openapi({ description: 'Of these keys, those that have an output' }) })
  .openapi('LedgerReply');

export const JobAudit = z
  .object({
    items: z.int(),
    outcomes: z.int().openapi({ description: 'Items that have a recorded outcome' }),
    duplicate_items: z.int().openapi({ description: 'Items with more than one outcome' }),
    duplicate_keys: z
      .int()
      .openapi({ description: "The job's idempotency keys with more than one row in the ledger" }),
  })
  .openapi('JobAudit');
