import { KEY_ROLES } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { check, index, pgTable, text } from 'drizzle-orm/pg-core';
import { bytea, literals, moment } from './columns.ts';

/** Keys to the control plane. Only the hash of the secret is stored. */
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
    check('keys_role', sql`${t.role} in (${literals(KEY_ROLES)})`),
    check('keys_worker_id', sql`(${t.role} = 'worker') = (${t.workerId} is not null)`),
  ],
);

/** Tokens that let one worker join. Each is used once, by the statement that creates the worker's key. */
export const joinTokens = pgTable('join_tokens', {
  id: text('id').primaryKey(),
  hash: bytea('hash').notNull(),
  workerId: text('worker_id'), // null: any worker
  createdAt: moment('created_at').notNull().defaultNow(),
  expiresAt: moment('expires_at').notNull(),
  usedAt: moment('used_at'),
});

/**
 * Sessions of browsers. Each was created with a key, has its rights, and ends with it, or earlier. Only the hash of the
 * secret is stored.
 */
export const sessions = pgTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    hash: bytea('hash').notNull(),
    keyId: text('key_id')
      .notNull()
      .references(() => keys.id, { onDelete: 'cascade' }),
    createdAt: moment('created_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [index('sessions_key').on(t.keyId), index('sessions_expiry').on(t.expiresAt)],
);
