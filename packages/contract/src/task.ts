import { z } from '@hono/zod-openapi';
import { REFUSALS, TASK_STATUSES } from '@macbatch/core';
import { itemId } from './item-id.ts';
import { ModelUsed, WorkType } from './job.ts';
import { Pause } from './pause.ts';
import { plainText } from './plain-text.ts';

export const WorkerId = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces');
const BootId = plainText(64);
const MAX_TASK_ID = String(2n ** 63n - 1n);
const TaskId = z
  .string()
  .regex(/^[0-9]{1,19}$/, 'must be a task id')
  .refine((id) => id.length < MAX_TASK_ID.length || id <= MAX_TASK_ID, 'must be a task id');
/** The largest number of the table's column. */
const MAX_ATTEMPT = 2 ** 31 - 1;
const Attempt = z.int().min(0).max(MAX_ATTEMPT);

/** A thousand models with every job type. */
const MAX_OFFERS = 10_000;

/** A reported rate. */
export const ItemsPerSecond = z.number().min(0).max(100_000);

/** Identifies a lease: its task and its attempt. */
export const LeaseName = z.strictObject({ task_id: TaskId, attempt: Attempt }).openapi('LeaseName');
export type LeaseName = z.infer<typeof LeaseName>;

const Offer = z
  .strictObject({
    job_type: WorkType,
    model: plainText(200),
    items_per_second: ItemsPerSecond.optional().openapi({
      description: "The worker's rate for this offer, if it knows one",
    }),
    loaded: z.boolean().optional().openapi({ description: 'The model is loaded now' }),
    load_seconds: z.number().min(0).max(86_400).optional().openapi({
      description: 'Seconds that loading the model takes on this worker, if known',
    }),
  })
  .openapi('Offer');

export const LeaseRequest = z
  .strictObject({
    worker_id: WorkerId,
    boot_id: BootId,
    lease_limit: z.int().min(1).max(1000).optional().openapi({
      description: 'Most tasks that this call leases; 4 if neither this nor slots is given',
    }),
    slots: z.int().min(1).max(1000).optional().openapi({
      description:
        'Items that the worker runs concurrently. If given, a lease holds the work of about 45 seconds',
    }),
    offers: z.array(Offer).min(1).max(MAX_OFFERS),
    holds: z.array(LeaseName).max(10_000).optional().openapi({
      description:
        'All leases that this boot knows. Sent after a reply was lost: the reply then repeats other leases of this boot before it grants new ones',
    }),
    renews: z
      .boolean()
      .optional()
      .openapi({ description: 'The worker renews by heartbeat, so its leases may be shorter' }),
    copies: z.boolean().optional().openapi({
      description:
        'If nothing is pending, accepts copies of items that other workers hold. Only workers without leases get copies',
    }),
    wait_seconds: z
      .number()
      .min(0)
      .max(60)
      .optional()
      .openapi({ description: 'How long to wait for work if there is none' }),
  })
  .openapi('LeaseRequest');
export type LeaseRequest = z.infer<typeof LeaseRequest>;

export const LeasedTask = z
  .object({
    task_id: TaskId,
    job_id: z.uuid(),
    attempt: Attempt,
    lease_seconds: z.number().openapi({ description: 'Counted from when the worker sent its request' }),
    job_type: WorkType,
    model: z.string(),
    params: z.string().openapi({ description: 'JSON text' }),
    copy: z.boolean().default(false).openapi({
      description:
        "These are items of another worker's lease, last one first. They are reported with that lease's attempt",
    }),
    no_other_worker: z.boolean().optional().openapi({
      description:
        'This worker has released the task as rejected, and no other alive worker can run it now. Older control planes do not send it',
    }),
    items: z.array(
      z.object({ item_id: z.string(), payload: z.string().openapi({ description: 'JSON text' }) }),
    ),
  })
  .openapi('LeasedTask');
export type LeasedTask = z.infer<typeof LeasedTask>;

export const LeaseReply = z
  .object({
    tasks: z.array(LeasedTask),
    pause: Pause.nullable()
      .default(null)
      .openapi({ description: 'Why there are no tasks: the worker is paused' }),
  })
  .openapi('LeaseReply');

export const ReportedError = z
  .strictObject({ code: z.string().min(1).max(100), message: z.string().max(10_000) })
  .openapi('ReportedError');
export type ReportedError = z.infer<typeof ReportedError>;

/** Longest body of a model server's error that is kept, in UTF-16 code units. */
export const MAX_ERROR_BODY_LENGTH = 64 * 1024;

const requestId = plainText(200).optional().openapi({ description: 'The id that the model server gave' });

/** The error of an item. */
export const ItemError = ReportedError.extend({
  response: z
    .strictObject({
      status_code: z.int().min(100).max(599),
      request_id: requestId,
      body: z.string().max(MAX_ERROR_BODY_LENGTH).openapi({ description: 'JSON text' }),
    })
    .optional()
    .openapi({ description: 'What the model server answered to a raw request' }),
}).openapi('ItemError');
export type ItemError = z.infer<typeof ItemError>;

const outcomeBase = {
  item_id: itemId,
  model: ModelUsed.optional(),
  usage: z.record(z.string(), z.number()).nullable().optional(),
};
export const Outcome = z
  .union([
    z.strictObject({
      ...outcomeBase,
      output: z.string().openapi({ description: 'JSON text' }),
      request_id: requestId,
    }),
    z.strictObject({ ...outcomeBase, error: ItemError }),
  ])
  .openapi('Outcome');
export type Outcome = z.infer<typeof Outcome>;

export const ReportEntry = z
  .strictObject({
    task_id: TaskId,
    attempt: Attempt,
    outcomes: z.array(Outcome).max(10_000),
    final: z.boolean().openapi({ description: 'With this entry, every item of the task has an outcome' }),
    error: ReportedError.optional().openapi({
      description: 'The worker fails the rest of the task with this error',
    }),
  })
  .openapi('ReportEntry');
export type ReportEntry = z.infer<typeof ReportEntry>;

export const ReportRequest = z
  .strictObject({ worker_id: WorkerId, entries: z.array(ReportEntry).min(1).max(1000) })
  .openapi('ReportRequest');
export type ReportRequest = z.infer<typeof ReportRequest>;

/** A report whose entries are not validated yet: each is validated by itself. */
export const ReportEnvelope = z.strictObject({
  worker_id: WorkerId,
  entries: z.array(z.unknown()).min(1).max(1000),
});

export const ENTRY_REFUSALS = [
  ...REFUSALS,
  'invalid_entry',
  'not_found',
  'unknown_item',
  'duplicate_item',
  'missing_items',
  'invalid_output',
] as const;

export const EntryReply = z
  .object({
    task_id: z.string().nullable(),
    attempt: z.int().nullable(),
    outcome: z.enum(['accepted', 'duplicate', 'superseded', 'refused']),
    code: z.enum(ENTRY_REFUSALS).optional(),
    detail: z.string().optional(),
    task_status: z.enum(TASK_STATUSES).nullable(),
    settled: z.array(z.string()).optional().openapi({
      description: 'Items of the task that already have an outcome from another worker. They need not run',
    }),
  })
  .openapi('EntryReply');
export type EntryReply = z.infer<typeof EntryReply>;

export const ReportReply = z.object({ entries: z.array(EntryReply) }).openapi('ReportReply');

const ReleasedLease = LeaseName.extend({
  rejected: z.boolean().optional().openapi({
    description:
      'The model server of this worker has rejected the items and answered no other. The task is left to other workers while one of them may run it',
  }),
}).openapi('ReleasedLease');
export type ReleasedLease = z.infer<typeof ReleasedLease>;

export const ReleaseRequest = z
  .strictObject({
    worker_id: WorkerId,
    tasks: z.array(ReleasedLease).min(1).max(1000),
  })
  .openapi('ReleaseRequest');

export const ReleaseReply = z
  .object({
    tasks: z.array(
      LeaseName.extend({ outcome: z.enum(['accepted', 'refused']), code: z.enum(ENTRY_REFUSALS).optional() }),
    ),
  })
  .openapi('ReleaseReply');
export { BootId };
