import { RETRY_POLICIES } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { literals, moment } from './columns.ts';

/** Submissions. Their state and counts are derived from `job_tallies`. */
export const jobs = pgTable(
  'jobs',
  {
    id: uuid('id').primaryKey(), // uuid v7: the order of ids is the order of submission
    /** The group of keys that owns the job; empty if the pool works without keys. */
    owner: text('owner').notNull().default(''),
    /** For people. Not part of what makes two submissions the same. */
    name: text('name'),
    /** The name of the key that submitted the job, as it was then. */
    submittedBy: text('submitted_by'),
    jobType: text('job_type').notNull(), // a work type: for raw requests it names the endpoint
    model: text('model').notNull(),
    params: text('params').notNull(), // JSON text, as the submitter wrote it
    shardSize: integer('shard_size').notNull(),
    retryOn: text('retry_on').notNull(),
    priority: integer('priority').notNull().default(0), // higher first
    itemCount: integer('item_count').notNull(),
    taskCount: integer('task_count').notNull(),
    idempotencyKey: text('idempotency_key'), // includes the owner: see `ownedKey`
    /** Bytes of the payloads, for the owner's quota. */
    payloadBytes: bigint('payload_bytes', { mode: 'number' }).notNull().default(0),
    /** Items that took their outcome from the ledger at submission. */
    reusedCount: integer('reused_count').notNull().default(0),
    /** Items that repeat another item of the job and get its outcome. */
    repeatedCount: integer('repeated_count').notNull().default(0),
    /** Tasks with fewer items than the shard size because of their bytes. */
    smallerTasks: integer('smaller_tasks').notNull().default(0),
    /** An upper bound on the payload bytes of each task. Null in jobs of earlier releases. */
    largestTaskBytes: bigint('largest_task_bytes', { mode: 'number' }),
    bodyDigest: text('body_digest').notNull(), // detects another body under the same idempotency key
    createdAt: moment('created_at').notNull().defaultNow(),
    finishedAt: moment('finished_at'),
    cancelledAt: moment('cancelled_at'),
    /** The job is being deleted and hidden from everybody. Its counts then say how much is left to delete. */
    prunedAt: moment('pruned_at'),
    /** The range of ids of the job's tasks, because no index of the job contains done tasks. Null: any id. */
    firstTaskId: bigint('first_task_id', { mode: 'bigint' }),
    lastTaskId: bigint('last_task_id', { mode: 'bigint' }),
  },
  (t) => [
    uniqueIndex('jobs_idempotency_key').on(t.idempotencyKey),
    index('jobs_owner').on(t.owner, t.id),
    index('jobs_open').on(t.id).where(sql`${t.finishedAt} is null and ${t.cancelledAt} is null`),
    check('jobs_retry_on', sql`${t.retryOn} in (${literals(RETRY_POLICIES)})`),
  ],
);
