import { bigint, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';

/**
 * What each worker finished of each job in each minute, kept for seven days. Written by the statements that record
 * outcomes and expire leases. Owner and model are copied, because a job may be deleted before.
 */
export const minuteCounts = pgTable(
  'minute_counts',
  {
    minute: moment('minute').notNull(),
    jobId: uuid('job_id').notNull(),
    workerId: text('worker_id').notNull(),
    owner: text('owner').notNull(),
    model: text('model').notNull(),
    itemsOk: integer('items_ok').notNull().default(0),
    itemsError: integer('items_error').notNull().default(0),
    inputTokens: bigint('input_tokens', { mode: 'number' }).notNull().default(0),
    outputTokens: bigint('output_tokens', { mode: 'number' }).notNull().default(0),
    leasesExpired: integer('leases_expired').notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.minute, t.jobId, t.workerId] })],
);
