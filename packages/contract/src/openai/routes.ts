import { createRoute, z } from '@hono/zod-openapi';
import { json } from '../json-content.ts';
import { BatchList, BatchListQuery, BatchObject, CreateBatch } from './batch.ts';
import { FileDeleted, FileList, FileListQuery, FileObject } from './file.ts';
import { ModelList, ModelObject } from './model.ts';
import { OpenAiError } from './openai-error.ts';

const refused = { default: json(OpenAiError, 'The error, as OpenAI describes errors') };
const fileParams = z.object({ file_id: z.string() });
const batchParams = z.object({ batch_id: z.string() });

/** The routes of the OpenAI interface. Keys with the role `submit` or `admin` may use them. */
export const openAiRoutes = {
  createFile: createRoute({
    method: 'post',
    path: '/v1/files',
    summary: 'Upload the input file of a batch',
    request: {
      body: {
        required: true as const,
        content: {
          'multipart/form-data': {
            schema: z.object({
              file: z.string().openapi({ format: 'binary' }),
              purpose: z.literal('batch'),
              'expires_after[anchor]': z.literal('created_at').optional(),
              'expires_after[seconds]': z.int().optional(),
            }),
          },
        },
      },
    },
    responses: { 200: json(FileObject, 'The file'), ...refused },
  }),
  listFiles: createRoute({
    method: 'get',
    path: '/v1/files',
    summary: 'List files',
    request: { query: FileListQuery },
    responses: { 200: json(FileList, 'A page of files'), ...refused },
  }),
  readFile: createRoute({
    method: 'get',
    path: '/v1/files/{file_id}',
    summary: 'Read what is known of a file',
    request: { params: fileParams },
    responses: { 200: json(FileObject, 'The file'), ...refused },
  }),
  readFileContent: createRoute({
    method: 'get',
    path: '/v1/files/{file_id}/content',
    summary: 'Stream the bytes of a file',
    description: 'Supports the Range header with one range of bytes.',
    request: { params: fileParams },
    responses: {
      200: {
        description: 'The bytes of the file',
        content: { 'application/octet-stream': { schema: z.string().openapi({ format: 'binary' }) } },
      },
      206: {
        description: 'The bytes of the range',
        content: { 'application/octet-stream': { schema: z.string().openapi({ format: 'binary' }) } },
      },
      ...refused,
    },
  }),
  deleteFile: createRoute({
    method: 'delete',
    path: '/v1/files/{file_id}',
    summary: 'Delete a file',
    request: { params: fileParams },
    responses: { 200: json(FileDeleted, 'The deletion'), ...refused },
  }),
  createBatch: createRoute({
    method: 'post',
    path: '/v1/batches',
    summary: 'Create a batch of the requests in a file',
    request: {
      headers: z.object({ 'idempotency-key': z.string().min(1).max(200).optional() }),
      body: { required: true as const, content: { 'application/json': { schema: CreateBatch } } },
    },
    responses: { 200: json(BatchObject, 'The batch, or the one of this idempotency key'), ...refused },
  }),
  listBatches: createRoute({
    method: 'get',
    path: '/v1/batches',
    summary: 'List batches, newest first',
    request: { query: BatchListQuery },
    responses: { 200: json(BatchList, 'A page of batches'), ...refused },
  }),
  readBatch: createRoute({
    method: 'get',
    path: '/v1/batches/{batch_id}',
    summary: 'Read one batch',
    request: { params: batchParams },
    responses: { 200: json(BatchObject, 'The batch'), ...refused },
  }),
  cancelBatch: createRoute({
    method: 'post',
    path: '/v1/batches/{batch_id}/cancel',
    summary: 'Cancel a batch and keep its finished requests',
    request: { params: batchParams },
    responses: { 200: json(BatchObject, 'The batch'), ...refused },
  }),
  listModels: createRoute({
    method: 'get',
    path: '/v1/models',
    summary: 'List the models that alive workers offer',
    responses: { 200: json(ModelList, 'The models'), ...refused },
  }),
  readModel: createRoute({
    method: 'get',
    path: '/v1/models/{model}',
    summary: 'Read whether an alive worker offers a model',
    request: { params: z.object({ model: z.string() }) },
    responses: { 200: json(ModelObject, 'The model'), ...refused },
  }),
} as const;
