import { sql } from 'drizzle-orm';
import { index, integer, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import { bytea } from './columns.ts';

/**
 * Items never change. A task is a range of `seq`. The uniqueness of item ids is checked when the submission commits,
 * so that a refusal can name both positions of a repeated id. The migration sets `deferrable` by hand: Drizzle can't
 * express it.
 */
export const items = pgTable(
  'items',
  {
    jobId: uuid('job_id').notNull(),
    seq: integer('seq').notNull(),
    itemId: text('item_id').notNull(),
    payload: text('payload').notNull(), // JSON text; the migration sets storage external
    key: bytea('key'), // the idempotency key; null when nothing may be reused
    /** The first item of the job with the same key. This item does not run and gets that one's outcome. */
    leaderSeq: integer('leader_seq'),
  },
  (t) => [
    primaryKey({ columns: [t.jobId, t.seq] }),
    unique('items_job_id_item_id').on(t.jobId, t.itemId),
    index('items_repeated').on(t.jobId, t.leaderSeq).where(sql`${t.leaderSeq} is not null`),
  ],
);
