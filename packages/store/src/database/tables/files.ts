import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytea, literals, moment } from './columns.ts';

const FILE_STATES = ['uploading', 'ready', 'deleted'] as const;

/** Files of the OpenAI interface. Their bytes are in `file_chunks` or in another store, as `storage` says. */
export const files = pgTable(
  'files',
  {
    id: text('id').primaryKey(), // file- and a uuid v7: the order of ids is the order of creation
    /** The group of keys that owns the file; empty if the pool works without keys. */
    owner: text('owner').notNull().default(''),
    purpose: text('purpose').notNull(),
    filename: text('filename').notNull(),
    /** Bytes so far while the file is `uploading`. */
    bytes: bigint('bytes', { mode: 'number' }).notNull().default(0),
    /** `deleted`: hidden from everybody while its bytes are being deleted. */
    state: text('state').notNull(),
    storage: text('storage').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    expiresAt: moment('expires_at'),
    /** An upload that has not made progress until then is abandoned. */
    uploadUntil: moment('upload_until'),
  },
  (t) => [
    index('files_owner').on(t.owner, t.id),
    index('files_expires_at').on(t.expiresAt).where(sql`${t.state} = 'ready'`),
    index('files_to_remove').on(t.id).where(sql`${t.state} <> 'ready'`),
    check('files_state', sql`${t.state} in (${literals(FILE_STATES)})`),
  ],
);

/** The bytes of files in pieces of one size; only the last piece of a file is smaller. */
export const fileChunks = pgTable(
  'file_chunks',
  {
    fileId: text('file_id').notNull(),
    position: integer('position').notNull(), // from 0
    data: bytea('data').notNull(), // the migration sets storage external: nothing is compressed
  },
  (t) => [primaryKey({ columns: [t.fileId, t.position] })],
);
