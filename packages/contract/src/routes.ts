import { createRoute, z } from '@hono/zod-openapi';
import { DatabaseView, PruneReply, PruneRequest } from './admin.ts';
import { EVENT_KINDS, EventId, EventPage } from './event.ts';
import { JobExplanation } from './explanation.ts';
import { ItemListQuery, ItemPage, ItemQuery, ItemView } from './item.ts';
import { itemIdToFind } from './item-id.ts';
import {
  FailureList,
  JobAudit,
  JobView,
  LedgerReply,
  LedgerRequest,
  ResultLine,
  RetryReply,
  RetryRequest,
  Submission,
} from './job.ts';
import { JobListQuery, JobPage } from './job-list.ts';
import { body, json } from './json-content.ts';
import {
  Caller,
  CreateKeyReply,
  CreateKeyRequest,
  EndSessionReply,
  JoinReply,
  JoinRequest,
  JoinTokenReply,
  JoinTokenRequest,
  KeyList,
  KeyView,
  SessionReply,
} from './key.ts';
import { PauseReply, PauseRequest } from './pause.ts';
import { plainText } from './plain-text.ts';
import { Problem } from './problem.ts';
import { StreamQuery } from './stream.ts';
import {
  LeaseReply,
  LeaseRequest,
  ReleaseReply,
  ReleaseRequest,
  ReportReply,
  ReportRequest,
  WorkerId,
} from './task.ts';
import { Throughput, ThroughputQuery } from './throughput.ts';
import {
  BootList,
  BootReply,
  BootReport,
  Heartbeat,
  HeartbeatReply,
  ReclaimReply,
  WorkerList,
} from './worker.ts';

const workerParams = z.object({ id: WorkerId });
const jobParams = z.object({ id: z.uuid() });
const refused = {
  default: {
    description: 'Problem details of a refused request',
    content: { 'application/problem+json': { schema: Problem } },
  },
};

/** Every route of the native interface. Validation, client and OpenAPI document come from this table. */
export const routes = {
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
  listEvents: createRoute({
    method: 'get',
    path: '/v1/events',
    summary: 'List what happened to jobs and tasks, newest first',
    description: 'Expired and resumed leases, errors of tasks, late errors, retries, cancellations.',
    request: {
      query: z.object({
        job: z.uuid().optional(),
        worker: plainText(200).optional(),
        kind: z.enum(EVENT_KINDS).optional(),
        limit: z.coerce.number().int().min(1).max(1000).default(100),
        before: EventId.optional().openapi({ description: 'The `next` of the previous page' }),
      }),
    },
    responses: { 200: json(EventPage, 'A page of events'), ...refused },
  }),
  streamChanges: createRoute({
    method: 'get',
    path: '/v1/stream',
    summary: 'Say what changes, as server-sent events',
    description:
      'Events: `ready` once; `jobs-changed`, `workers-changed` and `events-changed` with `{ids}`, up to 100; `job-changed` with `{id}`. At most one a second for each topic, and only of jobs that the caller may see. The stream ends when the key does.',
    request: { query: StreamQuery },
    responses: {
      200: { description: 'Changes', content: { 'text/event-stream': { schema: z.string() } } },
      ...refused,
    },
  }),
  readThroughput: createRoute({
    method: 'get',
    path: '/v1/throughput',
    summary: 'Count what was finished in each minute or longer step, by worker, model or job',
    description: 'At most 20 series: the others are one series together. Only jobs that the caller may see.',
    request: { query: ThroughputQuery },
    responses: { 200: json(Throughput, 'The series'), ...refused },
  }),
  countKnownKeys: createRoute({
    method: 'post',
    path: '/v1/ledger/count',
    summary: 'Count the idempotency keys for which the ledger has an output',
    description: "Only outputs of the caller's group. A job with these items would not run them again.",
    request: { body: body(LedgerRequest) },
    responses: { 200: json(LedgerReply, 'The number of known keys'), ...refused },
  }),
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
  readCaller: createRoute({
    method: 'get',
    path: '/v1/caller',
    summary: "Show what this request's key may do",
    responses: { 200: json(Caller, 'The role and identity of the key'), ...refused },
  }),
  createSession: createRoute({
    method: 'post',
    path: '/v1/sessions',
    summary: "Exchange this request's key for a session of twelve hours",
    description: 'For browsers. A session has the rights of its key and ends with it.',
    responses: { 200: json(SessionReply, 'The session. It is shown only once'), ...refused },
  }),
  endSession: createRoute({
    method: 'post',
    path: '/v1/sessions/end',
    summary: 'End the session that this request was sent with',
    responses: { 200: json(EndSessionReply, 'Whether a session ended'), ...refused },
  }),
  createKey: createRoute({
    method: 'post',
    path: '/v1/admin/keys',
    summary: 'Create a key',
    request: { body: body(CreateKeyRequest) },
    responses: { 200: json(CreateKeyReply, 'The key. It is shown only once'), ...refused },
  }),
  listKeys: createRoute({
    method: 'get',
    path: '/v1/admin/keys',
    summary: 'List keys, newest first',
    responses: { 200: json(KeyList, 'All keys, without their secrets'), ...refused },
  }),
  revokeKey: createRoute({
    method: 'post',
    path: '/v1/admin/keys/{id}/revoke',
    summary: 'Revoke a key',
    request: { params: z.object({ id: z.string().regex(/^[0-9a-f]{16}$/) }) },
    responses: { 200: json(KeyView, 'The key'), ...refused },
  }),
  createJoinToken: createRoute({
    method: 'post',
    path: '/v1/admin/join_tokens',
    summary: 'Create a join token for one worker',
    request: { body: body(JoinTokenRequest) },
    responses: { 200: json(JoinTokenReply, 'The token. It is shown only once'), ...refused },
  }),
  joinWorker: createRoute({
    method: 'post',
    path: '/v1/workers/join',
    summary: 'Exchange a join token, sent as bearer token, for a worker key',
    description: 'Revokes an earlier key of the same worker.',
    request: { body: body(JoinRequest) },
    responses: { 200: json(JoinReply, 'The key. It is shown only once'), ...refused },
  }),
} as const;
