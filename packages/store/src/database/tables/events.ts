import { bigint, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';

/**
 * What happened, append-only. Kinds: `lease_expired`, `lease_resumed`, `copy_lost`, `task_error`, `task_failed`,
 * `stale_failure`, `stale_item_error`, `task_retried` and `job_cancelled`.
 */
export const events = pgTable(
  'events',
  {
    id: bigint('id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    at: moment('at').notNull().defaultNow(),
    kind: text('kind').notNull(),
    jobId: uuid('job_id'),
    taskId: bigint('task_id', { mode: 'bigint' }),
    workerId: text('worker_id'),
    attempt: integer('attempt'),
    detail: text('detail'), // JSON text
  },
  (t) => [index('events_job_kind').on(t.jobId, t.kind)],
);
