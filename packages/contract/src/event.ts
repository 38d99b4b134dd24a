import { z } from '@hono/zod-openapi';

/** The kinds of events that are recorded. */
export const EVENT_KINDS = [
  'lease_expired',
  'lease_resumed',
  'copy_lost',
  'task_error',
  'task_failed',
  'stale_failure',
  'stale_item_error',
  'task_retried',
  'job_cancelled',
  'worker_paused',
  'worker_resumed',
] as const;

/** A number of 63 bits as decimal digits. */
export const EventId = z.string().regex(/^[1-9]\d{0,17}$/, 'expected the id of an event');

export const PoolEvent = z
  .object({
    id: EventId,
    at: z.string(),
    kind: z
      .string()
      .openapi({ description: `A kind that is not known yet, or one of: ${EVENT_KINDS.join(', ')}` }),
    job: z.uuid().nullable(),
    task_id: z.string().nullable(),
    worker: z.string().nullable(),
    attempt: z.int().nullable(),
    detail: z.unknown().openapi({ description: 'Depends on the kind: for a failed task, its error' }),
  })
  .openapi('PoolEvent');
export type PoolEvent = z.infer<typeof PoolEvent>;

export const EventPage = z
  .object({
    events: z.array(PoolEvent),
    next: z
      .string()
      .nullable()
      .openapi({ description: 'The `before` of the next page; null: there is none' }),
  })
  .openapi('EventPage');
