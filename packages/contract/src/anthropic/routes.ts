import { createRoute, z } from '@hono/zod-openapi';
import { body, json } from '../json-content.ts';
import { AnthropicError } from './anthropic-error.ts';
import {
  CreateMessageBatch,
  MessageBatchDeleted,
  MessageBatchList,
  MessageBatchListQuery,
  MessageBatchObject,
} from './message-batch.ts';

const refused = { default: json(AnthropicError, 'The error, as Anthropic describes errors') };
const params = z.object({ message_batch_id: z.string() });

/** The routes of Anthropic's interface. Keys with the role `submit` or `admin` may use them. */
export const anthropicRoutes = {
  createMessageBatch: createRoute({
    method: 'post',
    path: '/v1/messages/batches',
    summary: 'Create a message batch',
    request: {
      headers: z.object({ 'idempotency-key': z.string().min(1).max(200).optional() }),
      body: body(CreateMessageBatch),
    },
    responses: { 200: json(MessageBatchObject, 'The batch, or the one of this idempotency key'), ...refused },
  }),
  listMessageBatches: createRoute({
    method: 'get',
    path: '/v1/messages/batches',
    summary: 'List message batches, newest first',
    request: { query: MessageBatchListQuery },
    responses: { 200: json(MessageBatchList, 'A page of batches'), ...refused },
  }),
  readMessageBatch: createRoute({
    method: 'get',
    path: '/v1/messages/batches/{message_batch_id}',
    summary: 'Read one message batch',
    request: { params },
    responses: { 200: json(MessageBatchObject, 'The batch'), ...refused },
  }),
  cancelMessageBatch: createRoute({
    method: 'post',
    path: '/v1/messages/batches/{message_batch_id}/cancel',
    summary: 'Cancel a message batch and keep its finished requests',
    request: { params },
    responses: { 200: json(MessageBatchObject, 'The batch'), ...refused },
  }),
  readMessageBatchResults: createRoute({
    method: 'get',
    path: '/v1/messages/batches/{message_batch_id}/results',
    summary: 'Stream the results of a message batch that has ended',
    description: 'One line of JSON for each request. Supports the Range header with one range of bytes.',
    request: { params },
    responses: {
      200: {
        description: 'The results',
        content: { 'application/x-jsonl': { schema: z.string() } },
      },
      206: {
        description: 'The bytes of the range',
        content: { 'application/x-jsonl': { schema: z.string() } },
      },
      ...refused,
    },
  }),
  deleteMessageBatch: createRoute({
    method: 'delete',
    path: '/v1/messages/batches/{message_batch_id}',
    summary: 'Delete a message batch that has ended, with its results',
    request: { params },
    responses: { 200: json(MessageBatchDeleted, 'The deletion'), ...refused },
  }),
} as const;
