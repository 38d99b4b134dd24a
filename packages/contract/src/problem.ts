import { z } from '@hono/zod-openapi';

/**
 * Every error of the native interface: its code, its HTTP status and whether a retry of the same request can
 * succeed. A missing code does not compile.
 */
export const PROBLEMS = {
  invalid_json: { status: 400, retryable: false, title: 'The body is not JSON' },
  invalid_encoding: { status: 400, retryable: false, title: 'The body is not UTF-8' },
  invalid_field: { status: 400, retryable: false, title: 'A field is missing or wrong' },
  invalid_item: { status: 400, retryable: false, title: 'An item is incomplete or wrong' },
  duplicate_item_id: { status: 400, retryable: false, title: 'An item id is used twice' },
  no_items: { status: 400, retryable: false, title: 'The submission has no items' },
  bad_request: { status: 400, retryable: false, title: 'Not an HTTP request' },
  key_in_url: { status: 400, retryable: false, title: 'A key must not be part of a URL' },
  first_key_not_admin: { status: 400, retryable: false, title: 'The first key must be an admin key' },
  unauthenticated: { status: 401, retryable: false, title: 'This request needs a key' },
  invalid_key: { status: 401, retryable: false, title: 'The key is not valid' },
  forbidden: { status: 403, retryable: false, title: 'The key does not allow this request' },
  not_found: { status: 404, retryable: false, title: 'Not found' },
  route_not_found: { status: 404, retryable: false, title: 'The path does not exist' },
  method_not_allowed: { status: 405, retryable: false, title: 'The path does not support this method' },
  request_timeout: { status: 408, retryable: false, title: 'The request took too long to arrive' },
  idempotency_key_reused: {
    status: 409,
    retryable: false,
    title: 'The idempotency key belongs to another submission',
  },
  job_cancelled: { status: 409, retryable: false, title: 'The job is cancelled' },
  worker_offline: { status: 409, retryable: false, title: 'The worker has said goodbye' },
  worker_id_in_use: { status: 409, retryable: false, title: 'Another machine uses this worker id' },
  body_too_large: { status: 413, retryable: false, title: 'The body is too large' },
  line_too_long: { status: 413, retryable: false, title: 'A line is too long' },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    title: 'The path does not support this content type',
  },
  worker_too_old: { status: 426, retryable: false, title: 'The worker must be upgraded' },
  worker_too_new: { status: 426, retryable: false, title: 'The control plane must be upgraded' },
  too_many_requests: { status: 429, retryable: true, title: 'Too many requests' },
  quota_exceeded: { status: 429, retryable: false, title: 'The group has too much unfinished work' },
  headers_too_large: { status: 431, retryable: false, title: 'The headers are too large' },
  internal: { status: 500, retryable: false, title: 'Internal error' },
  database_full: { status: 507, retryable: true, title: 'The database has no free disk space' },
  not_ready: { status: 503, retryable: true, title: 'The control plane is not ready' },
  database_unavailable: { status: 503, retryable: true, title: 'The database does not answer' },
} as const satisfies Record<string, { status: number; retryable: boolean; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** RFC 9457 problem details with a stable `code` and the position of the error. */
export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    field: z.string().optional().openapi({ description: 'Path of the invalid field, such as items[3].id' }),
    line: z.int().optional().openapi({ description: 'Line of an NDJSON body, starting at 1' }),
    item_id: z.string().optional(),
  })
  .openapi('Problem');
export type Problem = z.infer<typeof Problem>;
