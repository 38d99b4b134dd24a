import { TASK_STATUSES } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { literals, moment } from './columns.ts';

export const tasks = pgTable(
  'tasks',
  {
    id: bigint('id', { mode: 'bigint' }).primaryKey().generatedByDefaultAsIdentity(),
    jobId: uuid('job_id').notNull(),
    firstSeq: integer('first_seq').notNull(),
    itemCount: integer('item_count').notNull(),
    outcomeCount: integer('outcome_count').notNull().default(0),
    status: text('status').notNull().default('pending'),
    attempts: integer('attempts').notNull().default(0),
    errors: integer('errors').notNull().default(0),
    expiries: integer('expiries').notNull().default(0),
    returns: integer('returns').notNull().default(0),
    retryBase: integer('retry_base').notNull().default(0),
    cancelled: boolean('cancelled').notNull().default(false),
    retryOn: text('retry_on').notNull(),
    leaseUntil: moment('lease_until'),
    assignedWorker: text('assigned_worker'),
    /** The lease that has expired last and that its holder may still resume: see core's `Task`. */
    lapsedWorker: text('lapsed_worker'),
    lapsedBoot: text('lapsed_boot'),
    lapsedAttempt: integer('lapsed_attempt'),
    error: text('error'), // JSON text
  },
  (t) => [
    // In the order of claims. Partial, because an index on the status would contain every finished task.
    index('tasks_pending').on(t.jobId, t.id).where(sql`${t.status} = 'pending' and not ${t.cancelled}`),
    // For reclaims. Not on lease_until: renewals must stay heap-only (HOT) updates.
    index('tasks_leased').on(t.id).where(sql`${t.status} = 'leased'`),
    index('tasks_failed').on(t.jobId, t.firstSeq).where(sql`${t.status} = 'failed'`),
    check('tasks_status', sql`${t.status} in (${literals(TASK_STATUSES)})`),
    check('tasks_leased_until', sql`(${t.status} = 'leased') = (${t.leaseUntil} is not null)`),
    check('tasks_outcomes', sql`${t.outcomeCount} >= 0`),
    // `>=`, not `=`: if the key of `results` were lost, an audit finds duplicates, and the pool continues.
    check('tasks_done', sql`${t.status} <> 'done' or ${t.outcomeCount} >= ${t.itemCount}`),
  ],
);

/** Every lease that was granted. Late results from these are recorded; results of invented leases are refused. */
export const leases = pgTable(
  'leases',
  {
    taskId: bigint('task_id', { mode: 'bigint' }).notNull(),
    attempt: integer('attempt').notNull(),
    workerId: text('worker_id').notNull(),
    bootId: text('boot_id').notNull(),
    leasedAt: moment('leased_at').notNull().defaultNow(),
    /** The worker has handed the task back because its model server rejects every item. */
    rejected: boolean('rejected').notNull().default(false),
  },
  (t) => [primaryKey({ columns: [t.taskId, t.attempt] })],
);
