import { createRoute } from '@hono/zod-openapi';
import { DatabaseView, PruneReply, PruneRequest } from '../admin.ts';
import { body, json } from '../json-content.ts';
import { ReclaimReply } from '../worker.ts';
import { refused } from './refused.ts';

/** Routes that maintain the database. */
export const adminRoutes = {
  reclaim: createRoute({
    method: 'post',
    path: '/v1/admin/reclaim',
    summary: 'Expire every lease that has passed',
    responses: { 200: json(ReclaimReply, 'The number of tasks taken back'), ...refused },
  }),
  prune: createRoute({
    method: 'post',
    path: '/v1/admin/prune',
    summary: 'Delete a batch of old finished jobs. Repeat until none remain',
    request: { body: body(PruneRequest) },
    responses: { 200: json(PruneReply, 'What was deleted and what is left'), ...refused },
  }),
  readDatabase: createRoute({
    method: 'get',
    path: '/v1/admin/database',
    summary: 'Show the database settings that matter to macbatch',
    responses: { 200: json(DatabaseView, 'The database settings'), ...refused },
  }),
} as const;
