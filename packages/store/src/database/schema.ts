import { KEY_ROLES, RETRY_POLICIES, TASK_STATUSES } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  customType,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';

// Drizzle's plain `timestamp` has no zone; every time here is a timestamptz by the database's clock.
const moment = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' });
const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const oneOf = (values: readonly string[]) => sql.raw(values.map((value) => `'${value}'`).join(', '));

/** Submissions. State and counts are derived from `job_tallies`; nothing is stored twice. */
export const jobs = pgTable(
  'jobs',
  {
    id: uuid('id').primaryKey(), // uuid v7: the order of ids is the order of submission
    /** The group of keys that submitted it; empty where nobody needs a key. */
    owner: text('owner').notNull().default(''),
    jobType: text('job_type').notNull(),
    model: text('model').notNull(),
    params: text('params').notNull(), // JSON text, as the submitter wrote it
    shardSize: integer('shard_size').notNull(),
    retryOn: text('retry_on').notNull(),
    priority: integer('priority').notNull().default(0), // higher first
    itemCount: integer('item_count').notNull(),
    taskCount: integer('task_count').notNull(),
    idempotencyKey: text('idempotency_key'), // within its owner: see `ownedKey`
    /** Bytes of the payloads, for the owner's quota. */
    payloadBytes: bigint('payload_bytes', { mode: 'number' }).notNull().default(0),
    /** Items that got their outcome from the ledger when the job was submitted. */
    reusedCount: integer('reused_count').notNull().default(0),
    /** Items that repeat another of the job and get its outcome. */
    repeatedCount: integer('repeated_count').notNull().default(0),
    bodyDigest: text('body_digest').notNull(), // tells the same submission from another under its key
    createdAt: moment('created_at').notNull().defaultNow(),
    finishedAt: moment('finished_at'),
    cancelledAt: moment('cancelled_at'),
    /** The job is being deleted, for everybody else it is gone; its counts tell how much of it is left. */
    prunedAt: moment('pruned_at'),
    /** Its tasks are among these ids: done ones are in no index of the job's. Null: anywhere. */
    firstTaskId: bigint('first_task_id', { mode: 'bigint' }),
    lastTaskId: bigint('last_task_id', { mode: 'bigint' }),
  },
  (t) => [
    uniqueIndex('jobs_idempotency_key').on(t.idempotencyKey),
    index('jobs_owner').on(t.owner, t.id),
    index('jobs_open').on(t.id).where(sql`${t.finishedAt} is null and ${t.cancelledAt} is null`),
    check('jobs_retry_on', sql`${t.retryOn} in (${oneOf(RETRY_POLICIES)})`),
  ],
);

/**
 * Items, immutable. A task is a range of `seq`. Uniqueness of ids is checked when the submission commits
 * (`deferrable`, set by hand in the migration: Drizzle has no word for it), so that a refusal can name
 * both places of an id that is used twice.
 */
export const items = pgTable(
  'items',
  {
    jobId: uuid('job_id').notNull(),
    seq: integer('seq').notNull(),
    itemId: text('item_id').notNull(),
    payload: text('payload').notNull(), // JSON text; storage external, set in the migration
    key: bytea('key'), // SHA-256 of the canonical request; null where nothing may be reused
    /** The first item of the job with the same key: this one is not run and gets its outcome. */
    leaderSeq: integer('leader_seq'),
  },
  (t) => [
    primaryKey({ columns: [t.jobId, t.seq] }),
    unique('items_job_id_item_id').on(t.jobId, t.itemId),
    index('items_repeated').on(t.jobId, t.leaderSeq).where(sql`${t.leaderSeq} is not null`),
  ],
);

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
    error: text('error'), // JSON text
  },
  (t) => [
    // The claim's own order. Partial, because an index on the status walks every finished task.
    index('tasks_pending').on(t.jobId, t.id).where(sql`${t.status} = 'pending' and not ${t.cancelled}`),
    // For the sweep of expired leases. Not on lease_until: renewals must stay heap-only (HOT) updates.
    index('tasks_leased').on(t.id).where(sql`${t.status} = 'leased'`),
    index('tasks_failed').on(t.jobId, t.firstSeq).where(sql`${t.status} = 'failed'`),
    check('tasks_status', sql`${t.status} in (${oneOf(TASK_STATUSES)})`),
    check('tasks_leased_until', sql`(${t.status} = 'leased') = (${t.leaseUntil} is not null)`),
    check('tasks_outcomes', sql`${t.outcomeCount} >= 0`),
    // Not an equation: were a key of `results` lost, duplicates are to be found and not to stop the pool.
    check('tasks_done', sql`${t.status} <> 'done' or ${t.outcomeCount} >= ${t.itemCount}`),
  ],
);

/** Every lease that was granted: what makes a late result welcome, and an invented one not. */
export const leases = pgTable(
  'leases',
  {
    taskId: bigint('task_id', { mode: 'bigint' }).notNull(),
    attempt: integer('attempt').notNull(),
    workerId: text('worker_id').notNull(),
    bootId: text('boot_id').notNull(),
    leasedAt: moment('leased_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.taskId, t.attempt] })],
);

/** Why a copy of some items is over, and what that means for the next one of them. */
export const COPY_ENDS = ['done', 'returned', 'lost', 'failed', 'suspect'] as const;

/**
 * Copies of items that another worker holds, given to one with nothing to do. They bring results and nothing
 * else: the lease stays its holder's, and its number is the one under which the copy is reported.
 * `failed` and `suspect` (which is the holder's own word) keep their items from being copied again.
 */
export const copies = pgTable(
  'copies',
  {
    taskId: bigint('task_id', { mode: 'bigint' }).notNull(),
    attempt: integer('attempt').notNull(),
    workerId: text('worker_id').notNull(),
    bootId: text('boot_id').notNull(),
    firstSeq: integer('first_seq').notNull(),
    endSeq: integer('end_seq').notNull(), // the first item behind it
    copiedAt: moment('copied_at').notNull().defaultNow(),
    leaseUntil: moment('lease_until').notNull(),
    ended: text('ended'),
  },
  (t) => [
    primaryKey({ columns: [t.taskId, t.attempt, t.workerId, t.firstSeq] }),
    index('copies_live').on(t.workerId).where(sql`${t.ended} is null`),
    check('copies_ended', sql`${t.ended} in (${oneOf(COPY_ENDS)})`),
  ],
);

/** One outcome an item: insert-only, the first wins by the primary key. */
export const results = pgTable(
  'results',
  {
    jobId: uuid('job_id').notNull(),
    seq: integer('seq').notNull(),
    output: text('output'), // JSON text; storage external
    error: text('error'), // JSON text
    taskId: bigint('task_id', { mode: 'bigint' }).notNull(),
    attempt: integer('attempt').notNull(),
    modelId: integer('model_id'),
    usage: text('usage'), // JSON text
    reused: boolean('reused').notNull().default(false), // computed for another item with the same key
    recordedAt: moment('recorded_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.jobId, t.seq] }),
    check('results_output_or_error', sql`(${t.output} is null) <> (${t.error} is null)`),
  ],
);

/**
 * I2, I3: what has been paid for: one row a key, held by the primary key. Looked up only within the owner's
 * own; errors are never here.
 */
export const ledger = pgTable(
  'ledger',
  {
    owner: text('owner').notNull().default(''),
    key: bytea('key').notNull(),
    jobId: uuid('job_id').notNull(),
    seq: integer('seq').notNull(),
  },
  (t) => [primaryKey({ columns: [t.owner, t.key] })],
);

/** Builds of models that have run somewhere. */
export const models = pgTable(
  'models',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    name: text('name').notNull(),
    digest: text('digest'),
  },
  (t) => [unique('models_name_digest').on(t.name, t.digest).nullsNotDistinct()],
);

/** Which builds a job's alias has stood for. */
export const jobModels = pgTable(
  'job_models',
  { jobId: uuid('job_id').notNull(), modelId: integer('model_id').notNull() },
  (t) => [primaryKey({ columns: [t.jobId, t.modelId] })],
);

/**
 * Counts, as one row for each job and worker that the statement which changes a task adds to. Summed over
 * a job the first four are its tasks by status; a row by itself may be negative there (a lease that
 * another worker's late result ended). A row a worker keeps reports of several workers from waiting for
 * each other. The row with an empty worker id is the control plane's own.
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
    /** Times that a task was given up with an error. */
    taskErrors: integer('task_errors').notNull().default(0),
    leasesExpired: integer('leases_expired').notNull().default(0),
    lastLeasedAt: moment('last_leased_at'),
    /** Outcomes reported lately, older ones faded out, as of `lastAt`; see `recent-items.ts`. */
    recentItems: doublePrecision('recent_items').notNull().default(0),
    firstAt: moment('first_at').notNull().defaultNow(),
    lastAt: moment('last_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.jobId, t.workerId] }), index('job_tallies_worker').on(t.workerId)],
);

/** What the tallies of deleted jobs said, so that no counter of a worker or of the pool ever goes back. */
export const prunedTallies = pgTable('pruned_tallies', {
  workerId: text('worker_id').primaryKey(),
  leasesGranted: bigint('leases_granted', { mode: 'number' }).notNull().default(0),
  leasesExpired: bigint('leases_expired', { mode: 'number' }).notNull().default(0),
  tasksDone: bigint('tasks_done', { mode: 'number' }).notNull().default(0),
  tasksFailed: bigint('tasks_failed', { mode: 'number' }).notNull().default(0),
  itemsOk: bigint('items_ok', { mode: 'number' }).notNull().default(0),
});

export const workers = pgTable('workers', {
  id: text('id').primaryKey(),
  bootId: text('boot_id').notNull(),
  hostname: text('hostname').notNull(),
  jobTypes: text('job_types').array().notNull(),
  models: text('models').array().notNull(),
  concurrency: integer('concurrency').notNull(),
  leaseLimit: integer('lease_limit').notNull(),
  /** JSON: items a second by job type and model, as the worker tells them. */
  rates: text('rates').notNull().default('[]'),
  offline: boolean('offline').notNull().default(false),
  firstSeenAt: moment('first_seen_at').notNull().defaultNow(),
  lastHeartbeatAt: moment('last_heartbeat_at').notNull().defaultNow(),
});

/** Who may use the control plane. Of a key only the hash of its secret is kept. */
export const keys = pgTable(
  'keys',
  {
    id: text('id').primaryKey(), // the public half of the key
    hash: bytea('hash').notNull(), // SHA-256 of the secret half, which is 256 random bits
    name: text('name').notNull(),
    role: text('role').notNull(),
    owner: text('owner').notNull(),
    workerId: text('worker_id'),
    createdAt: moment('created_at').notNull().defaultNow(),
    expiresAt: moment('expires_at'),
    revokedAt: moment('revoked_at'),
  },
  (t) => [
    index('keys_worker').on(t.workerId).where(sql`${t.revokedAt} is null`),
    check('keys_role', sql`${t.role} in (${oneOf(KEY_ROLES)})`),
    check('keys_worker_id', sql`(${t.role} = 'worker') = (${t.workerId} is not null)`),
  ],
);

/** What lets one worker join: used once, by the statement that makes its key. */
export const joinTokens = pgTable('join_tokens', {
  id: text('id').primaryKey(),
  hash: bytea('hash').notNull(),
  workerId: text('worker_id'), // null: any
  createdAt: moment('created_at').notNull().defaultNow(),
  expiresAt: moment('expires_at').notNull(),
  usedAt: moment('used_at'),
});

/** Which deployment this database is: a worker's unsent outcomes belong to one. A single row. */
export const deployment = pgTable(
  'deployment',
  { id: uuid('id').primaryKey().defaultRandom(), one: boolean('one').notNull().default(true).unique() },
  (t) => [check('deployment_one', sql`${t.one}`)],
);

/** B4: every boot of a program, and what was known of it then. */
export const boots = pgTable(
  'boots',
  {
    id: bigint('id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    at: moment('at').notNull().defaultNow(),
    role: text('role').notNull(),
    name: text('name').notNull(),
    bootId: text('boot_id').notNull(),
    pid: integer('pid').notNull(),
    hostname: text('hostname').notNull(),
    startedAt: moment('started_at').notNull(), // by the program's own clock
    cwd: text('cwd').notNull(),
    tmpWritable: boolean('tmp_writable').notNull(),
    /** The boot that the program's own record told of; null where it found none. */
    previousBootId: text('previous_boot_id'),
    verdict: text('verdict').notNull(),
  },
  (t) => [unique('boots_boot_id').on(t.bootId), index('boots_name').on(t.role, t.name, t.id)],
);

export const EVENT_KINDS = [
  'lease_expired',
  'copy_lost',
  'task_error',
  'task_failed',
  'stale_failure',
  'task_retried',
  'job_cancelled',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** What happened, append-only. */
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
