import { sql } from 'drizzle-orm';
import { joinTokens, keys } from '../database/schema.ts';

export interface KeyRow {
  readonly id: string;
  readonly hash: Buffer;
  readonly name: string;
  readonly role: string;
  readonly owner: string;
  readonly worker_id: string | null;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly expired: boolean;
}

const columns = sql`${keys.id}, ${keys.hash}, ${keys.name}, ${keys.role}, ${keys.owner}, ${keys.workerId},
  ${keys.createdAt}, ${keys.expiresAt}, ${keys.revokedAt}, coalesce(${keys.expiresAt} <= now(), false) as expired`;

export const findKey = sql`select ${columns} from ${keys} where ${keys.id} = ${sql.placeholder('id')}::text`;

export const listKeys = sql`select ${columns} from ${keys} order by ${keys.createdAt} desc, ${keys.id}`;

export const anyKey = sql`
  select exists (select from ${keys} where ${keys.revokedAt} is null and (${keys.expiresAt} is null or ${keys.expiresAt} > now())) as found`;

export const addKey = sql`
  insert into ${keys} (id, hash, name, role, owner, worker_id, expires_at)
  values (${sql.placeholder('id')}::text, ${sql.placeholder('hash')}::bytea, ${sql.placeholder('name')}::text, ${sql.placeholder('role')}::text,
    ${sql.placeholder('owner')}::text, ${sql.placeholder('worker')}::text, now() + ${sql.placeholder('expiresInMs')}::float8 * interval '1 millisecond')
  returning ${columns}`;

/** A second time changes nothing. */
export const revokeKey = sql`
  update ${keys} set revoked_at = coalesce(${keys.revokedAt}, now()) where ${keys.id} = ${sql.placeholder('id')}::text
  returning ${columns}`;

export const addJoinToken = sql`
  insert into ${joinTokens} (id, hash, worker_id, expires_at)
  values (${sql.placeholder('id')}::text, ${sql.placeholder('hash')}::bytea, ${sql.placeholder('worker')}::text,
    now() + ${sql.placeholder('expiresInMs')}::float8 * interval '1 millisecond')
  returning ${joinTokens.expiresAt}`;

export interface JoinTokenRow {
  readonly hash: Buffer;
  readonly worker_id: string | null;
  readonly usable: boolean;
}

export const findJoinToken = sql`
  select ${joinTokens.hash}, ${joinTokens.workerId}, ${joinTokens.usedAt} is null and ${joinTokens.expiresAt} > now() as usable
  from ${joinTokens} where ${joinTokens.id} = ${sql.placeholder('id')}::text`;

/**
 * Uses a token up and makes the worker's key in one statement: of two who use it at once, one gets a key.
 * Earlier keys of this worker end: it has joined anew, or somebody took its name.
 */
export const join = sql`
  with used as (
    update ${joinTokens} set used_at = now()
    where ${joinTokens.id} = ${sql.placeholder('token')}::text and ${joinTokens.usedAt} is null and ${joinTokens.expiresAt} > now()
    returning ${joinTokens.id}
  ),
  replaced as (
    update ${keys} set revoked_at = now()
    where ${keys.workerId} = ${sql.placeholder('worker')}::text and ${keys.revokedAt} is null and exists (select from used)
  )
  insert into ${keys} (id, hash, name, role, owner, worker_id)
  select ${sql.placeholder('id')}::text, ${sql.placeholder('hash')}::bytea, ${sql.placeholder('worker')}::text, 'worker',
    ${sql.placeholder('worker')}::text, ${sql.placeholder('worker')}::text
  from used
  returning ${columns}`;
