import type { ConnectionPools } from '@macbatch/connection';
import { KEY_ROLES, type KeyRole } from '@macbatch/core';
import { type Statement, statement } from '../database/statement.ts';
import {
  addJoinToken,
  addKey,
  anyKey,
  findJoinToken,
  findKey,
  type JoinTokenRow,
  join,
  type KeyRow,
  listKeys,
  revokeKey,
} from './key-statements.ts';

/** The halves of a key that are kept: its public id, and the SHA-256 of its secret. */
export interface KeyHalves {
  readonly id: string;
  readonly hash: Buffer;
}

export interface NewKey extends KeyHalves {
  readonly name: string;
  readonly role: KeyRole;
  /** The group whose jobs it sees. */
  readonly owner: string;
  /** The only worker that it speaks for; exactly with the role `worker`. */
  readonly workerId: string | null;
  /** Null: it does not expire. */
  readonly expiresInMs: number | null;
}

export interface Key extends KeyHalves {
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

export interface JoinToken {
  readonly hash: Buffer;
  /** The only worker that may use it, or null. */
  readonly workerId: string | null;
  readonly usable: boolean;
}

type NewKeyArguments = {
  id: string;
  hash: Buffer;
  name: string;
  role: string;
  owner: string;
  worker: string | null;
  expiresInMs: number | null;
};

/** Who may use the control plane. */
export class Keys {
  readonly #connections: ConnectionPools;
  readonly #find: Statement<{ id: string }, KeyRow>;
  readonly #list: Statement<Record<string, never>, KeyRow>;
  readonly #any: Statement<Record<string, never>, { found: boolean }>;
  readonly #add: Statement<NewKeyArguments, KeyRow>;
  readonly #revoke: Statement<{ id: string }, KeyRow>;
  readonly #addToken: Statement<
    { id: string; hash: Buffer; worker: string | null; expiresInMs: number },
    { expires_at: Date }
  >;
  readonly #findToken: Statement<{ id: string }, JoinTokenRow>;
  readonly #join: Statement<{ token: string; id: string; hash: Buffer; worker: string }, KeyRow>;

  constructor(connections: ConnectionPools) {
    this.#connections = connections;
    this.#find = statement(findKey);
    this.#list = statement(listKeys);
    this.#any = statement(anyKey);
    this.#add = statement(addKey);
    this.#revoke = statement(revokeKey);
    this.#addToken = statement(addJoinToken);
    this.#findToken = statement(findJoinToken);
    this.#join = statement(join);
  }

  async find(id: string): Promise<Key | null> {
    const [row] = await this.#find.run(this.#connections.durable, { id });
    return row === undefined ? null : keyOf(row);
  }

  /** Newest first, with those that are of no use any more. */
  async list(): Promise<Key[]> {
    return (await this.#list.run(this.#connections.durable, {})).map(keyOf);
  }

  /** Whether there is a key that is good for something. */
  async any(): Promise<boolean> {
    const [row] = await this.#any.run(this.#connections.durable, {});
    return row?.found ?? false;
  }

  async add({ workerId, ...key }: NewKey): Promise<Key> {
    const [row] = await this.#add.run(this.#connections.durable, { ...key, worker: workerId });
    if (row === undefined) throw new Error('the new key answered nothing');
    return keyOf(row);
  }

  async revoke(id: string): Promise<Key | null> {
    const [row] = await this.#revoke.run(this.#connections.durable, { id });
    return row === undefined ? null : keyOf(row);
  }

  /** Answers when the token expires. */
  async addJoinToken(
    token: KeyHalves & { readonly workerId: string | null; readonly expiresInMs: number },
  ): Promise<Date> {
    const { workerId, ...halves } = token;
    const [row] = await this.#addToken.run(this.#connections.durable, { ...halves, worker: workerId });
    if (row === undefined) throw new Error('the new token answered nothing');
    return row.expires_at;
  }

  async findJoinToken(id: string): Promise<JoinToken | null> {
    const [row] = await this.#findToken.run(this.#connections.durable, { id });
    return row === undefined ? null : { hash: row.hash, workerId: row.worker_id, usable: row.usable };
  }

  /** Uses a token up for a worker's key; null where it is of no use any more. */
  async join(token: string, worker: string, key: KeyHalves): Promise<Key | null> {
    const [row] = await this.#join.run(this.#connections.durable, { token, worker, ...key });
    return row === undefined ? null : keyOf(row);
  }
}

function keyOf(row: KeyRow): Key {
  const role = KEY_ROLES.find((known) => known === row.role);
  if (role === undefined)
    throw new TypeError(`a key has the role ${row.role}, which this version does not know`);
  return {
    id: row.id,
    hash: row.hash,
    name: row.name,
    role,
    owner: row.owner,
    workerId: row.worker_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    expired: row.expired,
  };
}
