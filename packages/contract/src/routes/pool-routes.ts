import { createRoute, z } from '@hono/zod-openapi';
import { EVENT_KINDS, EventId, EventPage } from '../event.ts';
import { LedgerReply, LedgerRequest } from '../job.ts';
import { body, json } from '../json-content.ts';
import { plainText } from '../plain-text.ts';
import { StreamQuery } from '../stream.ts';
import { Throughput, ThroughputQuery } from '../throughput.ts';
import { refused } from './refused.ts';

/** Routes that show what happens in the whole pool. */
export const poolRoutes = {
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
      'Events: `ready` once, from when on every change is told; `jobs-changed`, `workers-changed` and `events-changed` with `{ids}`, up to 100; `job-changed` with `{id}`. At most one a second for each topic, with the same `id` for what was read at the same moment, and only of jobs that the caller may see. The stream ends when the key does.',
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
} as const;
