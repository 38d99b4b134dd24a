import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { keys, sessions } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { type Key, type KeyRow, keyColumns, type StoredSecret, toKey } from './key-rows.ts';

export interface NewSession extends StoredSecret {
  readonly keyId: string;
  readonly expiresInMs: number;
}

export interface Session {
  readonly hash: Buffer;
  /** By the database's clock. */
  readonly expired: boolean;
  readonly key: Key;
}

/** Also deletes sessions that have expired, so that the table stays small. */
const insertSession = statement<
  { id: string; hash: Buffer; key: string; expiresInMs: number },
  { readonly expires_at: Date }
>(
  (arg) => sql`
  with expired as (delete from ${sessions} where ${sessions.expiresAt} <= now())
  insert into ${sessions} (id, hash, key_id, expires_at)
  values (${arg.id('text')}, ${arg.hash('bytea')}, ${arg.key('text')},
    now() + ${arg.expiresInMs('float8')} * interval '1 millisecond')
  returning ${sessions.expiresAt}`,
);

const readSession = statement<
  { id: string },
  KeyRow & { readonly session_hash: Buffer; readonly session_expired: boolean }
>(
  (arg) => sql`
  select ${sessions.hash} as session_hash, ${sessions.expiresAt} <= now() as session_expired, ${keyColumns}
  from ${sessions} join ${keys} on ${keys.id} = ${sessions.keyId} where ${sessions.id} = ${arg.id('text')}`,
);

const deleteSession = statement<{ id: string }, { readonly id: string }>(
  (arg) => sql`delete from ${sessions} where ${sessions.id} = ${arg.id('text')} returning ${sessions.id}`,
);

/** Stores a session. Returns when it expires. */
export async function addSession(
  { durable }: ConnectionPools,
  { keyId, ...session }: NewSession,
): Promise<Date> {
  return (await insertSession.one(durable, { ...session, key: keyId })).expires_at;
}

export async function findSession({ durable }: ConnectionPools, id: string): Promise<Session | null> {
  const [row] = await readSession.run(durable, { id });
  return row === undefined ? null : { hash: row.session_hash, expired: row.session_expired, key: toKey(row) };
}

/** Ends a session. Returns whether it was there. */
export async function endSession({ durable }: ConnectionPools, id: string): Promise<boolean> {
  return (await deleteSession.run(durable, { id })).length > 0;
}
