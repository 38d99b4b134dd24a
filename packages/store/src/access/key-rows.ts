import { KEY_ROLES, type KeyRole } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { knownValue } from '../database/known-value.ts';
import { keys } from '../database/schema.ts';

/** The parts of a key that the database stores: its public id, and the SHA-256 of its secret. */
export interface StoredSecret {
  readonly id: string;
  readonly hash: Buffer;
}

export interface Key extends StoredSecret {
  readonly name: string;
  readonly role: KeyRole;
  readonly owner: string;
  readonly workerId: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** By the database's clock. */
  readonly expired: boolean;
}

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

/** The columns of a `KeyRow`. */
export const keyColumns = sql`${keys.id}, ${keys.hash}, ${keys.name}, ${keys.role}, ${keys.owner}, ${keys.workerId},
  ${keys.createdAt}, ${keys.expiresAt}, ${keys.revokedAt}, coalesce(${keys.expiresAt} <= now(), false) as expired`;

export function toKey(row: KeyRow): Key {
  return {
    id: row.id,
    hash: row.hash,
    name: row.name,
    role: knownValue(KEY_ROLES, row.role),
    owner: row.owner,
    workerId: row.worker_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    expired: row.expired,
  };
}
