import { createRoute, z } from '@hono/zod-openapi';
import { JobExplanation } from '../explanation.ts';
import { ItemListQuery, ItemPage, ItemQuery, ItemView } from '../item.ts';
import { itemIdToFind } from '../item-id.ts';
import { FailureList, JobAudit, JobView, ResultLine, RetryReply, RetryRequest, Submission } from '../job.ts';
import { JobListQuery, JobPage } from '../job-list.ts';
import { body, json } from '../json-content.ts';
import { refused } from './refused.ts';

const jobParams = z.object({ id: z.uuid() });

/** Routes of jobs, their items and their outcomes. */
export const jobRoutes = {
  submitJob: createRoute({
    method: 'post',
    path: '/v1/jobs',
    summary: 'Submit a job',
    description:
      'JSON, or NDJSON (application/x-ndjson). In NDJSON the first line is the job without its items, and every other line is one item.',
    request: {
      headers: z.object({ 'idempotency-key': z.string().min(1).max(200).optional() }),
      body: {
        required: true as const,
        content: {
          'application/json': { schema: Submission },
          'application/x-ndjson': { schema: z.string() },
        },
      },
    },
    responses: {
      201: json(JobView, 'The new job'),
      200: json(JobView, 'The existing job of this idempotency key'),
      ...refused,
    },
  }),
  listJobs: createRoute({
    method: 'get',
    path: '/v1/jobs',
    summary: 'List jobs',
    request: { query: JobListQuery },
    responses: { 200: json(JobPage, 'A page of jobs'), ...refused },
  }),
  readJob: createRoute({
    method: 'get',
    path: '/v1/jobs/{id}',
    summary: 'Read one job',
    request: { params: jobParams },
    responses: { 200: json(JobView, 'The job'), ...refused },
  }),
  explainJob: createRoute({
    method: 'get',
    path: '/v1/jobs/{id}/explanation',
    summary: 'Explain what a job waits for and estimate when it ends',
    request: { params: jobParams },
    responses: { 200: json(JobExplanation, 'The explanation and the estimate'), ...refused },
  }),
  readResults: createRoute({
    method: 'get',
    path: '/v1/jobs/{id}/results',
    summary: 'Stream the outcomes in the order of submission',
    description: 'NDJSON with one line for each item that has an outcome or whose task has failed.',
    request: {
      params: jobParams,
      query: z.object({
        item_id: itemIdToFind.optional().openapi({ description: 'Only this item' }),
        status: z.enum(['ok', 'error']).optional(),
        after: z.coerce.number().int().min(-1).optional().openapi({
          description:
            'Only items behind this position, which begins at 0. Adds `seq` and `leased_at` to each line',
        }),
        until_open: z
          .enum(['true', 'false'])
          .optional()
          .openapi({ description: 'true: stops before the first item that has no outcome yet' }),
      }),
    },
    responses: {
      200: { description: 'Outcomes', content: { 'application/x-ndjson': { schema: ResultLine } } },
      ...refused,
    },
  }),
  listItems: createRoute({
    method: 'get',
    path: '/v1/jobs/{id}/items',
    summary: 'List the items of a job in the order of submission, without their texts',
    request: { params: jobParams, query: ItemListQuery },
    responses: { 200: json(ItemPage, 'A page of items'), ...refused },
  }),
  readItem: createRoute({
    method: 'get',
    path: '/v1/jobs/{id}/item',
    summary: 'Read one item with its texts, its outcome and its attempts',
    request: { params: jobParams, query: ItemQuery },
    responses: { 200: json(ItemView, 'The item'), ...refused },
  }),
  cancelJob: createRoute({
    method: 'post',
    path: '/v1/jobs/{id}/cancel',
    summary: 'Cancel a job and keep its outcomes',
    request: { params: jobParams },
    responses: { 200: json(JobView, 'The job'), ...refused },
  }),
  auditJob: createRoute({
    method: 'get',
    path: '/v1/jobs/{id}/audit',
    summary: 'Check a job for duplicate outcomes, which the primary keys should prevent',
    request: { params: jobParams },
    responses: { 200: json(JobAudit, 'The result of the check'), ...refused },
  }),
  retryJob: createRoute({
    method: 'post',
    path: '/v1/jobs/{id}/retry',
    summary: 'Send failed tasks back to pending',
    request: { params: jobParams, body: body(RetryRequest) },
    responses: { 200: json(RetryReply, 'The numbers of tasks and items sent back'), ...refused },
  }),
  listFailures: createRoute({
    method: 'get',
    path: '/v1/jobs/{id}/failures',
    summary: 'Group the failed items of a job by their errors, the largest group first',
    request: { params: jobParams },
    responses: { 200: json(FailureList, 'The groups'), ...refused },
  }),
} as const;
