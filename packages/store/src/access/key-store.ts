import type { ConnectionPools } from '@macbatch/connection';
import { addJoinToken, findJoinToken, type JoinToken, joinWorker, type NewJoinToken } from './join-tokens.ts';
import type { Key, StoredSecret } from './key-rows.ts';
import { addKey, findKey, hasValidKey, listKeys, type NewKey, revokeKey } from './keys.ts';
import { addSession, endSession, findSession, type NewSession, type Session } from './sessions.ts';

/** Who may use the control plane. */
export interface KeyStore {
  find(id: string): Promise<Key | null>;
  /** Newest first, the expired and revoked ones included. */
  list(): Promise<Key[]>;
  /** Whether there is a key that is neither expired nor revoked. */
  hasValid(): Promise<boolean>;
  add(key: NewKey): Promise<Key>;
  /** Returns null when there is no such key. */
  revoke(id: string): Promise<Key | null>;
  /** Returns when the token expires. */
  addJoinToken(token: NewJoinToken): Promise<Date>;
  findJoinToken(id: string): Promise<JoinToken | null>;
  /** Exchanges a token for a worker's key. Returns null when the token is used or expired. */
  join(token: string, worker: string, key: StoredSecret): Promise<Key | null>;
  /** Returns when the session expires. */
  addSession(session: NewSession): Promise<Date>;
  findSession(id: string): Promise<Session | null>;
  /** Returns whether there was such a session. */
  endSession(id: string): Promise<boolean>;
}

export function createKeyStore(connections: ConnectionPools): KeyStore {
  return {
    find: (id) => findKey(connections, id),
    list: () => listKeys(connections),
    hasValid: () => hasValidKey(connections),
    add: (key) => addKey(connections, key),
    revoke: (id) => revokeKey(connections, id),
    addJoinToken: (token) => addJoinToken(connections, token),
    findJoinToken: (id) => findJoinToken(connections, id),
    join: (token, worker, key) => joinWorker(connections, token, worker, key),
    addSession: (session) => addSession(connections, session),
    findSession: (id) => findSession(connections, id),
    endSession: (id) => endSession(connections, id),
  };
}
