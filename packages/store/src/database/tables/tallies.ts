import {
  bigint,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';

/**
 * Counts for each job and worker, changed by the statement that changes a task. The sums of the first four over a job
 * are its tasks by status. A single row can be negative there, for example when another worker's late result ended
 * its lease. A row for each worker keeps reports of several workers from waiting for each other. The row with an
 * empty worker id belongs to the control plane.
 */
export const jobTallies = pgTable(
  'job_tallies',
  {
    jobId: uuid('job_id').notNull(),
    workerId: text('worker_id').notNull(),
    pending: integer('pending').notNull().default(0),
    leased: integer('leased').notNull().default(0),
    done: integer('done').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    leasesGranted: integer('leases_granted').notNull().default(0),
    tasksDone: integer('tasks_done').notNull().default(0),
    tasksFailed: integer('tasks_failed').notNull().default(0),
    itemsOk: integer('items_ok').notNull().default(0),
    itemsError: integer('items_error').notNull().default(0),
    /** Items without an outcome whose task has failed. */
    itemsFailed: integer('items_failed').notNull().default(0),
    /** Tasks that the worker gave up with an error, each time counted. */
    taskErrors: integer('task_errors').notNull().default(0),
    leasesExpired: integer('leases_expired').notNull().default(0),
    lastLeasedAt: moment('last_leased_at'),
    /** Decayed count of reported outcomes at `lastAt`. See `recent-items.ts`. */
    recentItems: doublePrecision('recent_items').notNull().default(0),
    firstAt: moment('first_at').notNull().defaultNow(),
    lastAt: moment('last_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.jobId, t.workerId] }), index('job_tallies_worker').on(t.workerId)],
);

/** The tallies of deleted jobs, so that no counter of a worker or of the pool ever decreases. */
export const prunedTallies = pgTable('pruned_tallies', {
  workerId: text('worker_id').primaryKey(),
  leasesGranted: bigint('leases_granted', { mode: 'number' }).notNull().default(0),
  leasesExpired: bigint('leases_expired', { mode: 'number' }).notNull().default(0),
  tasksDone: bigint('tasks_done', { mode: 'number' }).notNull().default(0),
  tasksFailed: bigint('tasks_failed', { mode: 'number' }).notNull().default(0),
  itemsOk: bigint('items_ok', { mode: 'number' }).notNull().default(0),
});
