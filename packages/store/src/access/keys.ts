import type { ConnectionPools } from '@macbatch/connection';
import type { KeyRole } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { keys } from '../database/schema.ts';
import { type NoArguments, statement } from '../database/statement.ts';
import { type Key, type KeyRow, keyColumns, type StoredSecret, toKey } from './key-rows.ts';

export interface NewKey extends StoredSecret {
  readonly name: string;
  readonly role: KeyRole;
  /** The group whose jobs the key can see. */
  readonly owner: string;
  /** The only worker that the key is for. Set exactly with the role `worker`. */
  readonly workerId: string | null;
  /** Null when the key does not expire. */
  readonly expiresInMs: number | null;
}

const findKeyRow = statement<{ id: string }, KeyRow>(
  (arg) => sql`select ${keyColumns} from ${keys} where ${keys.id} = ${arg.id('text')}`,
);

const readKeys = statement<NoArguments, KeyRow>(
  () => sql`select ${keyColumns} from ${keys} order by ${keys.createdAt} desc, ${keys.id}`,
);

const readAnyValidKey = statement<NoArguments, { readonly found: boolean }>(
  () => sql`
  select exists (select from ${keys} where ${keys.revokedAt} is null and (${keys.expiresAt} is null or ${keys.expiresAt} > now())) as found`,
);

const insertKey = statement<
  {
    id: string;
    hash: Buffer;
    name: string;
    role: string;
    owner: string;
    worker: string | null;
    expiresInMs: number | null;
  },
  KeyRow
>(
  (arg) => sql`
  insert into ${keys} (id, hash, name, role, owner, worker_id, expires_at)
  values (${arg.id('text')}, ${arg.hash('bytea')}, ${arg.name('text')}, ${arg.role('text')},
    ${arg.owner('text')}, ${arg.worker('text')}, now() + ${arg.expiresInMs('float8')} * interval '1 millisecond')
  returning ${keyColumns}`,
);

const setRevokedAt = statement<{ id: string }, KeyRow>(
  (arg) => sql`
  update ${keys} set revoked_at = coalesce(${keys.revokedAt}, now()) where ${keys.id} = ${arg.id('text')}
  returning ${keyColumns}`,
);

export async function findKey({ durable }: ConnectionPools, id: string): Promise<Key | null> {
  const [row] = await findKeyRow.run(durable, { id });
  return row === undefined ? null : toKey(row);
}

/** Reads all keys, newest first, the expired and revoked ones included. */
export async function listKeys({ durable }: ConnectionPools): Promise<Key[]> {
  return (await readKeys.run(durable)).map(toKey);
}

/** Whether there is a key that is neither expired nor revoked. */
export async function hasValidKey({ durable }: ConnectionPools): Promise<boolean> {
  return (await readAnyValidKey.one(durable)).found;
}

export async function addKey({ durable }: ConnectionPools, { workerId, ...key }: NewKey): Promise<Key> {
  return toKey(await insertKey.one(durable, { ...key, worker: workerId }));
}

/** Revokes a key. Revoking it again changes nothing. Returns null when there is no such key. */
export async function revokeKey({ durable }: ConnectionPools, id: string): Promise<Key | null> {
  const [row] = await setRevokedAt.run(durable, { id });
  return row === undefined ? null : toKey(row);
}
