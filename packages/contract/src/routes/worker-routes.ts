import { createRoute, z } from '@hono/zod-openapi';
import { body, json } from '../json-content.ts';
import { PauseReply, PauseRequest } from '../pause.ts';
import { plainText } from '../plain-text.ts';
import { WorkerId } from '../task.ts';
import { BootList, BootReply, BootReport, Heartbeat, HeartbeatReply, WorkerList } from '../worker.ts';
import { refused } from './refused.ts';

const workerParams = z.object({ id: WorkerId });

/** Routes of workers and of the boots of programs. */
export const workerRoutes = {
  heartbeat: createRoute({
    method: 'post',
    path: '/v1/workers/heartbeat',
    summary: 'Send a heartbeat and renew leases',
    request: { body: body(Heartbeat) },
    responses: { 200: json(HeartbeatReply, 'Lost leases and items recorded elsewhere'), ...refused },
  }),
  listWorkers: createRoute({
    method: 'get',
    path: '/v1/workers',
    summary: 'List workers',
    responses: { 200: json(WorkerList, 'All workers'), ...refused },
  }),
  pauseWorker: createRoute({
    method: 'post',
    path: '/v1/workers/{id}/pause',
    summary: 'Keep a worker from leasing, until a time or until it is resumed',
    description: 'Heartbeats continue. A second call changes the reason, the end and the kind of the pause.',
    request: { params: workerParams, body: body(PauseRequest) },
    responses: { 200: json(PauseReply, 'The pause'), ...refused },
  }),
  resumeWorker: createRoute({
    method: 'post',
    path: '/v1/workers/{id}/resume',
    summary: 'End the pause of a worker',
    request: { params: workerParams },
    responses: { 200: json(PauseReply, 'The worker is not paused'), ...refused },
  }),
  reportBoot: createRoute({
    method: 'post',
    path: '/v1/boots',
    summary: 'Report a boot and return the verdict on it',
    request: { body: body(BootReport) },
    responses: { 200: json(BootReply, 'The verdict on this boot'), ...refused },
  }),
  listBoots: createRoute({
    method: 'get',
    path: '/v1/boots',
    summary: 'List boots, newest first',
    request: {
      query: z.object({
        name: plainText(200)
          .optional()
          .openapi({ description: 'Only boots of this worker or control plane' }),
        limit: z.coerce.number().int().min(1).max(1000).default(100),
      }),
    },
    responses: { 200: json(BootList, 'Boots'), ...refused },
  }),
} as const;
