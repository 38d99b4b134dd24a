import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';

export const workers = pgTable('workers', {
  id: text('id').primaryKey(),
  bootId: text('boot_id').notNull(),
  hostname: text('hostname').notNull(),
  jobTypes: text('job_types').array().notNull(),
  models: text('models').array().notNull(),
  concurrency: integer('concurrency').notNull(),
  leaseLimit: integer('lease_limit').notNull(),
  /** JSON: the reported rates, as items a second by job type and model. */
  rates: text('rates').notNull().default('[]'),
  /** JSON: what it cannot run now, and why. */
  troubles: text('troubles').notNull().default('[]'),
  offline: boolean('offline').notNull().default(false),
  /** Since then, a person keeps the worker from leasing. Heartbeats leave the pause as it is. */
  pausedAt: moment('paused_at'),
  /** The pause ends by itself then. Null: it does not. */
  pausedUntil: moment('paused_until'),
  pauseReason: text('pause_reason'),
  /** The name of the key that paused it. */
  pausedBy: text('paused_by'),
  /** The worker hands back what it has not started. */
  pauseDrains: boolean('pause_drains').notNull().default(false),
  /** The rule by which the worker pauses itself, from its last heartbeat. Null: it does not. */
  ownPauseRule: text('own_pause_rule'),
  ownPauseReason: text('own_pause_reason'),
  ownPausedAt: moment('own_paused_at'),
  firstSeenAt: moment('first_seen_at').notNull().defaultNow(),
  lastHeartbeatAt: moment('last_heartbeat_at').notNull().defaultNow(),
});

/** B4: every boot of a program, and what was known of its name then. */
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
    /** The boot of the record on the program's own disk; null when it found none. */
    previousBootId: text('previous_boot_id'),
    verdict: text('verdict').notNull(),
  },
  (t) => [unique('boots_boot_id').on(t.bootId), index('boots_name').on(t.role, t.name, t.id)],
);

/** The id of this deployment, in a single row: a worker's unsent outcomes belong to one deployment. */
export const deployment = pgTable(
  'deployment',
  { id: uuid('id').primaryKey().defaultRandom(), one: boolean('one').notNull().default(true).unique() },
  (t) => [check('deployment_one', sql`${t.one}`)],
);
