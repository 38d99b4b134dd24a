import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { joinTokens, keys } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { type Key, type KeyRow, keyColumns, type StoredSecret, toKey } from './key-rows.ts';

export interface NewJoinToken extends StoredSecret {
  /** The only worker that may use the token; null for any. */
  readonly workerId: string | null;
  readonly expiresInMs: number;
}

export interface JoinToken {
  readonly hash: Buffer;
  readonly workerId: string | null;
  /** Neither used nor expired. */
  readonly usable: boolean;
}

const insertToken = statement<
  { id: string; hash: Buffer; worker: string | null; expiresInMs: number },
  { readonly expires_at: Date }
>(
  (arg) => sql`
  insert into ${joinTokens} (id, hash, worker_id, expires_at)
  values (${arg.id('text')}, ${arg.hash('bytea')}, ${arg.worker('text')},
    now() + ${arg.expiresInMs('float8')} * interval '1 millisecond')
  returning ${joinTokens.expiresAt}`,
);

const readToken = statement<
  { id: string },
  { readonly hash: Buffer; readonly worker_id: string | null; readonly usable: boolean }
>(
  (arg) => sql`
  select ${joinTokens.hash}, ${joinTokens.workerId}, ${joinTokens.usedAt} is null and ${joinTokens.expiresAt} > now() as usable
  from ${joinTokens} where ${joinTokens.id} = ${arg.id('text')}`,
);

/**
 * Uses a token and creates the worker's key in one statement: of two concurrent uses, one gets a key. Revokes earlier
 * keys of the worker, which has joined again or whose name somebody has taken.
 */
const exchangeToken = statement<{ token: string; id: string; hash: Buffer; worker: string }, KeyRow>(
  (arg) => sql`
  with used as (
    update ${joinTokens} set used_at = now()
    where ${joinTokens.id} = ${arg.token('text')} and ${joinTokens.usedAt} is null and ${joinTokens.expiresAt} > now()
    returning ${joinTokens.id}
  ),
  replaced as (
    update ${keys} set revoked_at = now()
    where ${keys.workerId} = ${arg.worker('text')} and ${keys.revokedAt} is null and exists (select from used)
  )
  insert into ${keys} (id, hash, name, role, owner, worker_id)
  select ${arg.id('text')}, ${arg.hash('bytea')}, ${arg.worker('text')}, 'worker', ${arg.worker('text')}, ${arg.worker('text')}
  from used
  returning ${keyColumns}`,
);

/** Stores a token. Returns when it expires. */
export async function addJoinToken(
  { durable }: ConnectionPools,
  { workerId, ...token }: NewJoinToken,
): Promise<Date> {
  return (await insertToken.one(durable, { ...token, worker: workerId })).expires_at;
}

export async function findJoinToken({ durable }: ConnectionPools, id: string): Promise<JoinToken | null> {
  const [row] = await readToken.run(durable, { id });
  return row === undefined ? null : { hash: row.hash, workerId: row.worker_id, usable: row.usable };
}

/** Exchanges a token for a worker's key. Returns null when the token is used or expired. */
export async function joinWorker(
  { durable }: ConnectionPools,
  token: string,
  worker: string,
  key: StoredSecret,
): Promise<Key | null> {
  const [row] = await exchangeToken.run(durable, { token, worker, ...key });
  return row === undefined ? null : toKey(row);
}
