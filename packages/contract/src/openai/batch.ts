import { z } from '@hono/zod-openapi';
import { plainText } from '../plain-text.ts';
import { FILE_EXPIRY_SECONDS } from './file.ts';

/** Endpoints that a batch can run on. */
const BATCH_ENDPOINTS = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/responses',
] as const;

/** Metadata: at most 16 pairs of keys of 64 and values of 512 characters. */
const MAX_METADATA_PAIRS = 16;
const Metadata = z
  .record(plainText(64), z.string().max(512))
  .refine((metadata) => Object.keys(metadata).length <= MAX_METADATA_PAIRS, {
    error: `must have at most ${MAX_METADATA_PAIRS} pairs`,
  });

export const CreateBatch = z
  .strictObject({
    input_file_id: z.string(),
    endpoint: z.enum(BATCH_ENDPOINTS),
    completion_window: z.literal('24h', { error: "must be '24h'" }),
    metadata: Metadata.nullish(),
    output_expires_after: z
      .strictObject({
        anchor: z.literal('created_at'),
        seconds: z.int().min(FILE_EXPIRY_SECONDS.min).max(FILE_EXPIRY_SECONDS.max),
      })
      .nullish(),
  })
  .openapi('OpenAiCreateBatch');
export type CreateBatch = z.output<typeof CreateBatch>;

const time = z.int().nullable();

const BatchError = z.object({
  code: z.string(),
  message: z.string(),
  param: z.string().nullable(),
  line: z.int().nullable(),
});

/** A batch as OpenAI describes it. Times are in Unix seconds. */
export const BatchObject = z
  .object({
    id: z.string(),
    object: z.literal('batch'),
    endpoint: z.string(),
    model: z.string().nullable(),
    errors: z.object({ object: z.literal('list'), data: z.array(BatchError) }).nullable(),
    input_file_id: z.string(),
    completion_window: z.string(),
    status: z.enum([
      'validating',
      'failed',
      'in_progress',
      'finalizing',
      'completed',
      'expired',
      'cancelling',
      'cancelled',
    ]),
    output_file_id: z.string().nullable(),
    error_file_id: z.string().nullable(),
    created_at: z.int(),
    in_progress_at: time,
    expires_at: z.int(),
    finalizing_at: time,
    completed_at: time,
    failed_at: time,
    expired_at: time,
    cancelling_at: time,
    cancelled_at: time,
    request_counts: z.object({ total: z.int(), completed: z.int(), failed: z.int() }),
    usage: z
      .object({
        input_tokens: z.int(),
        input_tokens_details: z.object({ cached_tokens: z.int() }),
        output_tokens: z.int(),
        output_tokens_details: z.object({ reasoning_tokens: z.int() }),
        total_tokens: z.int(),
      })
      .nullable(),
    metadata: z.record(z.string(), z.string()).nullable(),
  })
  .openapi('OpenAiBatch');
export type BatchObject = z.infer<typeof BatchObject>;

export const BatchList = z
  .object({
    object: z.literal('list'),
    data: z.array(BatchObject),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .openapi('OpenAiBatchList');
export type BatchList = z.infer<typeof BatchList>;

export const BatchListQuery = z.object({
  after: plainText(100).optional().openapi({ description: 'The `last_id` of the previous page' }),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});
