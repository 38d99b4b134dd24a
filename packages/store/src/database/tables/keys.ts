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
