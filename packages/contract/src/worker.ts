import { z } from '@hono/zod-openapi';
import { BOOT_VERDICTS, WORKER_STATES } from '@macbatch/core';
import { itemIdToFind } from './item-id.ts';
import { WorkType } from './job.ts';
import { Pause } from './pause.ts';
import { plainText } from './plain-text.ts';
import { BootId, ENTRY_REFUSALS, ItemsPerSecond, LeaseName, WorkerId } from './task.ts';

const count = z.int().min(0).max(100_000);

const WorkerTrouble = z
  .strictObject({
    job_type: WorkType,
    model: plainText(200),
    endpoint: plainText(300).openapi({ description: 'Its runtime, such as the host of a model server' }),
    code: plainText(100),
    message: plainText(2000).openapi({ description: 'What the model server said' }),
    since_seconds: z.number().min(0),
    next_try_seconds: z.number().min(0).nullable().openapi({
      description: 'Until the worker tries again; null if it does not',
    }),
  })
  .openapi('WorkerTrouble');

export const Heartbeat = z
  .strictObject({
    worker_id: WorkerId,
    boot_id: BootId,
    hostname: plainText(255),
    job_types: z.array(WorkType).max(100),
    models: z.array(plainText(200)).max(1000),
    concurrency: count.openapi({ description: 'Items that the worker runs concurrently' }),
    lease_limit: count.openapi({ description: 'Most tasks that it asks for in one call' }),
    rates: z
      .array(
        z.strictObject({
          job_type: WorkType,
          model: plainText(200),
          items_per_second: ItemsPerSecond,
          loaded: z.boolean().optional(),
        }),
      )
      .max(1000)
      .optional()
      .openapi({ description: 'Its rate per job type and model, and whether the model is loaded now' }),
    troubles: z
      .array(WorkerTrouble)
      .max(100)
      .optional()
      .openapi({ description: 'What it cannot run now, and why' }),
    own_pause: z
      .strictObject({
        rule: plainText(50).openapi({ description: 'The rule of that Mac, such as `on_battery`' }),
        reason: plainText(500),
        since_seconds: z.number().min(0).max(1e9),
      })
      .optional()
      .openapi({
        description: 'The worker leases nothing now, because its Mac or a person at it says so',
      }),
    offline: z.boolean().optional().openapi({
      description:
        'The worker says goodbye: all leases of this boot are released, and it gets none until its next heartbeat',
    }),
    unreported: z.array(LeaseName).max(10_000).optional().openapi({
      description:
        'With offline: leases with outcomes that are on the disk of the worker and not reported. They are not released, so that its next boot can report them first',
    }),
    former_boot_ids: z.array(BootId).max(16).optional().openapi({
      description:
        'Earlier boots that this worker has on its disk. If the field is present and another boot is alive under this worker id, that boot is another machine and this heartbeat is refused',
    }),
    return_former: z.boolean().optional().openapi({
      description:
        'Every outcome of these boots has been reported. The leases that they still hold count as lost: the attempt is charged',
    }),
    suspects: z
      .array(LeaseName.extend({ item_id: itemIdToFind }))
      .max(1000)
      .optional()
      .openapi({
        description:
          'Items that it runs alone because a runtime crashed while they ran. They are not copied for an hour',
      }),
    renew: z.array(LeaseName).max(10_000).optional().openapi({ description: 'Leases to renew' }),
  })
  .openapi('Heartbeat');
export type Heartbeat = z.infer<typeof Heartbeat>;

/** The arrays of a heartbeat in which an unreadable entry costs only itself. */
export const HEARTBEAT_ENTRIES = [
  'job_types',
  'models',
  'rates',
  'troubles',
  'suspects',
  'unreported',
  'renew',
] as const;

export const HeartbeatReply = z
  .object({
    now: z.iso.datetime({ offset: true }).openapi({ description: "The database's clock" }),
    deployment_id: z
      .string()
      .openapi({ description: 'Identifies the database. Outcomes in an outbox belong to one database' }),
    pause: Pause.nullable()
      .default(null)
      .openapi({ description: 'The worker is paused: it gets no leases until it is resumed' }),
    lost: z
      .array(LeaseName.extend({ code: z.enum(ENTRY_REFUSALS) }))
      .openapi({ description: 'Leases of the request that the worker no longer holds' }),
    settled: z
      .array(LeaseName.extend({ item_ids: z.array(z.string()) }))
      .default([])
      .openapi({
        description: 'Items of these leases that another worker has reported. They need not run',
      }),
    ignored: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .default([])
      .openapi({
        description: 'Entries of the request that the control plane could not read. It has ignored them',
      }),
  })
  .openapi('HeartbeatReply');
export type HeartbeatReply = z.infer<typeof HeartbeatReply>;

const WorkKind = z.object({ job_type: z.string(), model: z.string() });

/** A trouble as clients see it: a later release may add fields. */
export const TroubleView = z
  .object({
    job_type: z.string(),
    model: z.string(),
    endpoint: z.string(),
    code: z.string(),
    message: z.string(),
    since_seconds: z.number(),
    next_try_seconds: z.number().nullable(),
    needs_attention: z.boolean().openapi({
      description: 'No waiting ends it: a key, a quota, a URL or the name of a model has to be changed',
    }),
  })
  .openapi('Trouble');
export type TroubleView = z.infer<typeof TroubleView>;

export const WorkerView = z
  .object({
    worker_id: z.string(),
    hostname: z.string(),
    job_types: z.array(z.string()),
    models: z.array(z.string()),
    concurrency: z.int(),
    lease_limit: z.int(),
    rates: z
      .array(
        z.object({
          job_type: z.string(),
          model: z.string(),
          items_per_second: z.number(),
          loaded: z.boolean().default(false),
        }),
      )
      .default([]),
    troubles: z
      .array(TroubleView)
      .default([])
      .openapi({ description: 'What it cannot run now, in the words of its model server' }),
    alive: z.boolean(),
    offline: z.boolean(),
    first_seen_at: z.iso.datetime({ offset: true }),
    last_heartbeat_at: z.iso.datetime({ offset: true }),
    tasks_leased: z.int(),
    tasks_done: z.int(),
    tasks_failed: z.int(),
    heartbeat_age_seconds: z
      .number()
      .nullable()
      .default(null)
      .openapi({ description: "Seconds since its last heartbeat, by the database's clock" }),
    state: z.enum(WORKER_STATES).nullable().default(null).openapi({
      description:
        'State of the worker, with the reason if it is not working. Null from an older control plane',
    }),
    pause: Pause.nullable()
      .default(null)
      .openapi({ description: 'Why it gets no leases although it is alive; null: it is not paused' }),
    holding: z
      .array(
        z.object({
          job: z.uuid(),
          tasks: z.int(),
          items: z.int().openapi({ description: 'Items of these tasks without an outcome' }),
          oldest_lease_seconds: z.number(),
          copies: z.boolean().openapi({ description: 'It runs copies of what another worker holds' }),
        }),
      )
      .default([])
      .openapi({ description: 'What it holds, by job, of the jobs that the caller may see' }),
    running: z
      .array(WorkKind.extend({ tasks: z.int() }))
      .default([])
      .openapi({ description: 'The job types and models that it holds tasks or copies of' }),
    last_ran: WorkKind.nullable()
      .default(null)
      .openapi({ description: 'The job type and model of its last lease' }),
    oldest_lease_seconds: z
      .number()
      .nullable()
      .default(null)
      .openapi({ description: 'Seconds since it got the oldest lease or copy that it holds' }),
    wanted: z.array(WorkKind).default([]).openapi({
      description:
        'If no open job fits its models: the job types and models that the open jobs need, among jobs that the caller may see',
    }),
  })
  .openapi('Worker');
export type WorkerView = z.infer<typeof WorkerView>;

export const WorkerList = z.object({ workers: z.array(WorkerView) }).openapi('WorkerList');

export const ReclaimReply = z
  .object({
    reclaimed: z.int().openapi({ description: 'Tasks that went back to pending' }),
    failed: z.int().openapi({ description: 'Tasks that failed because too many leases expired' }),
  })
  .openapi('ReclaimReply');

/** A program's own boot record (rule B1). */
export const Boot = z
  .object({
    boot_id: BootId,
    pid: z
      .int()
      .min(0)
      .max(2 ** 31 - 1),
    hostname: plainText(255),
    started_at: z.iso.datetime({ offset: true }).openapi({ description: "By the program's own clock" }),
    cwd: plainText(4096),
    tmp_writable: z.boolean(),
  })
  .openapi('Boot');
export type Boot = z.infer<typeof Boot>;

export const BootReport = z
  .strictObject({
    role: z.enum(['worker', 'control']),
    name: WorkerId,
    boot: Boot,
    previous_boot_id: BootId.nullable().openapi({
      description: 'The boot of the previous record on its disk; null if there was none',
    }),
  })
  .openapi('BootReport');
export type BootReport = z.infer<typeof BootReport>;

const BootVerdict = z.enum(BOOT_VERDICTS);

export const BootReply = z.object({ verdict: BootVerdict }).openapi('BootReply');

export const BootView = Boot.extend({
  role: z.string(),
  name: z.string(),
  previous_boot_id: z.string().nullable(),
  verdict: BootVerdict,
  reported_at: z.iso.datetime({ offset: true }),
}).openapi('BootView');
export type BootView = z.infer<typeof BootView>;

export const BootList = z.object({ boots: z.array(BootView) }).openapi('BootList');
