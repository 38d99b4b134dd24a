import { z } from '@hono/zod-openapi';

const time = z.iso.datetime();

/** A message batch as Anthropic describes it. */
export const MessageBatchObject = z
  .object({
    id: z.string(),
    type: z.literal('message_batch'),
    processing_status: z.enum(['in_progress', 'canceling', 'ended']),
    request_counts: z
      .object({
        processing: z.int(),
        succeeded: z.int(),
        errored: z.int(),
        canceled: z.int(),
        expired: z.int(),
      })
      .openapi({ description: 'All requests are `processing` until the batch has ended' }),
    created_at: time,
    expires_at: time,
    ended_at: time.nullable(),
    cancel_initiated_at: time.nullable(),
    archived_at: time.nullable().openapi({ description: 'When the results were deleted' }),
    results_url: z.string().nullable(),
  })
  .openapi('AnthropicMessageBatch');
export type MessageBatchObject = z.infer<typeof MessageBatchObject>;

/** The body of a new message batch. `params` is the body of a request to the Messages API. */
export const CreateMessageBatch = z
  .strictObject({
    requests: z.array(
      z.strictObject({
        custom_id: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
        params: z.looseObject({ model: z.string() }),
      }),
    ),
  })
  .openapi('AnthropicCreateMessageBatch');

export const MessageBatchList = z
  .object({
    data: z.array(MessageBatchObject),
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  })
  .openapi('AnthropicMessageBatchList');
export type MessageBatchList = z.infer<typeof MessageBatchList>;

const batchId = z.string().regex(/^msgbatch_[0-9a-f]{32}$/, 'is not the id of a message batch');

export const MessageBatchListQuery = z
  .object({
    after_id: batchId.optional().openapi({ description: 'The `last_id` of the previous page' }),
    before_id: batchId.optional().openapi({ description: 'The `first_id` of the next page' }),
    limit: z.coerce.number().int().min(1).max(1000).default(20),
  })
  .refine((query) => query.after_id === undefined || query.before_id === undefined, {
    error: 'must not have after_id and before_id together',
    path: ['before_id'],
  });

export const MessageBatchDeleted = z
  .object({ id: z.string(), type: z.literal('message_batch_deleted') })
  .openapi('AnthropicMessageBatchDeleted');
export type MessageBatchDeleted = z.infer<typeof MessageBatchDeleted>;
