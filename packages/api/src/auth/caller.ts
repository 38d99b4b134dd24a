import type { Access } from '@macbatch/contract';
import type { KeyRole } from '@macbatch/core';
import { RefusedRequest } from '../requests/refused-request.ts';

/** The sender of a request. */
export interface Caller {
  readonly role: KeyRole;
  /** The group that owns the jobs it submits. */
  readonly owner: string;
  /** The only worker that it may act as; null for any. */
  readonly workerId: string | null;
  /** The id of its key, which limits are counted by; null if no key is needed. */
  readonly keyId: string | null;
  /** The name of its key; null if no key is needed. */
  readonly keyName: string | null;
  /** The id of the session that the request was sent with; null if it was sent with a key, or without one. */
  readonly sessionId: string | null;
}

/** The caller of every request while no key is needed. */
export const OPEN: Caller = {
  role: 'admin',
  owner: '',
  workerId: null,
  keyId: null,
  keyName: null,
  sessionId: null,
};

export function mayUse(caller: Caller, access: Exclude<Access, 'join_token'>): boolean {
  return caller.role === 'admin' || access === 'any_key' || access.some((role) => role === caller.role);
}

/** Whether the caller may see a job. Jobs of other groups look as if they did not exist. */
export function sees(caller: Caller, owner: string): boolean {
  return caller.role === 'admin' || caller.owner === owner;
}

/** The owner whose jobs the caller may list; null for all owners. */
export function listed(caller: Caller): string | null {
  return caller.role === 'admin' ? null : caller.owner;
}

/** Throws if the caller's key belongs to another worker. */
export function assertMayActFor(caller: Caller, workerId: string, field = 'worker_id'): void {
  if (caller.workerId === null || caller.workerId === workerId) return;
  throw new RefusedRequest(
    'forbidden',
    `This key belongs to the worker ${caller.workerId} and is not valid for another worker.`,
    {
      field,
    },
  );
}
