import { createRoute } from '@hono/zod-openapi';
import { body, json } from '../json-content.ts';
import {
  LeaseReply,
  LeaseRequest,
  ReleaseReply,
  ReleaseRequest,
  ReportReply,
  ReportRequest,
} from '../task.ts';
import { refused } from './refused.ts';

/** Routes by which workers take tasks and report them. */
export const taskRoutes = {
  leaseTasks: createRoute({
    method: 'post',
    path: '/v1/tasks/lease',
    summary: 'Lease tasks',
    request: { body: body(LeaseRequest) },
    responses: { 200: json(LeaseReply, 'The leased tasks, perhaps none'), ...refused },
  }),
  completeBatch: createRoute({
    method: 'post',
    path: '/v1/tasks/complete_batch',
    summary: 'Report outcomes and errors of several tasks',
    description: 'Each entry gets its own answer: a refused entry does not affect the others.',
    request: { body: body(ReportRequest) },
    responses: { 200: json(ReportReply, 'One reply for each entry, in order'), ...refused },
  }),
  releaseTasks: createRoute({
    method: 'post',
    path: '/v1/tasks/release',
    summary: 'Release leased tasks without charging an attempt',
    request: { body: body(ReleaseRequest) },
    responses: { 200: json(ReleaseReply, 'One reply for each lease'), ...refused },
  }),
} as const;
