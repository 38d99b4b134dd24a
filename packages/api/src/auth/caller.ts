import type { Access } from '@macbatch/contract';
import type { KeyRole } from '@macbatch/core';
import { RefusedRequest } from '../requests/refused-request.ts';

/** Who sends a request. */
export interface Caller {
  readonly role: KeyRole;
  /** The group whose the jobs are that it submits. */
  readonly owner: string;
  /** The only worker that it speaks for; null for any. */
  readonly workerId: string | null;
  /** What limits are counted by: the id of its key; null where nobody needs one. */
  readonly keyId: string | null;
}

/** Everybody, where nobody needs a key. */
export const OPEN: Caller = { role: 'admin', owner: '', workerId: null, keyId: null };

export function mayUse(caller: Caller, access: Exclude<Access, 'join_token'>): boolean {
  return caller.role === 'admin' || access === 'any_key' || access.some((role) => role === caller.role);
}

/** Whether a job is there for this caller: others' are as good as not there. */
export function sees(caller: Caller, owner: string): boolean {
  return caller.role === 'admin' || caller.owner === owner;
}

/** The owner whose jobs a list shows; null for all. */
export function listed(caller: Caller): string | null {
  return caller.role === 'admin' ? null : caller.owner;
}

/** Throws where the caller's key is another worker's. */
export function speakFor(caller: Caller, workerId: string, field = 'worker_id'): void {
  if (caller.workerId === null || caller.workerId === workerId) return;
  throw new RefusedRequest(
    'forbidden',
    `This key is of the worker ${caller.workerId} and speaks for no other.`,
    {
      field,
    },
  );
}
