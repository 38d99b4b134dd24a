import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { literals, moment } from './columns.ts';

/** Why a copy has ended. */
const COPY_ENDS = ['done', 'returned', 'lost', 'failed', 'suspect'] as const;

/**
 * Copies of items that another worker holds. They can bring results and nothing else: the lease stays with its
 * holder, and reports of the copy use the lease's number. A copy that ended as `failed`, or a row that marks a
 * `suspect` of the holder, keeps its items from being copied again for a while.
 */
export const copies = pgTable(
  'copies',
  {
    taskId: bigint('task_id', { mode: 'bigint' }).notNull(),
    attempt: integer('attempt').notNull(),
    workerId: text('worker_id').notNull(),
    bootId: text('boot_id').notNull(),
    firstSeq: integer('first_seq').notNull(),
    endSeq: integer('end_seq').notNull(), // the first item behind the copy
    copiedAt: moment('copied_at').notNull().defaultNow(),
    leaseUntil: moment('lease_until').notNull(),
    ended: text('ended'),
  },
  (t) => [
    primaryKey({ columns: [t.taskId, t.attempt, t.workerId, t.firstSeq] }),
    index('copies_live').on(t.workerId).where(sql`${t.ended} is null`),
    check('copies_ended', sql`${t.ended} in (${literals(COPY_ENDS)})`),
  ],
);
