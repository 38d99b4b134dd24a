import type { TaskEvent } from '../lifecycle/event.ts';
import { LEASE_SECONDS } from '../lifecycle/lease-terms.ts';

/** The time at which tests start, in milliseconds since the epoch. */
export const T0 = Date.UTC(2026, 0, 1);

export const LEASE_MS = LEASE_SECONDS * 1000;

/** The error of a failed task. */
export const ERROR = '{"code":"model_missing"}';

export const lease = (worker: string, now = T0): TaskEvent => ({
  type: 'lease',
  worker,
  leaseMs: LEASE_MS,
  now,
});
/** The boot of a worker in these tests. */
export const bootOf = (worker: string) => `boot-of-${worker}`;
export const renew = (worker: string, attempt: number, now = T0, boot = bootOf(worker)): TaskEvent => ({
  type: 'renew',
  worker,
  boot,
  attempt,
  leaseMs: LEASE_MS,
  now,
});
export const report = (worker: string, attempt: number, recorded: number): TaskEvent => ({
  type: 'report',
  worker,
  attempt,
  recorded,
});
export const itemError = (worker: string, attempt: number): TaskEvent => ({
  type: 'item_error',
  worker,
  attempt,
});
export const fail = (worker: string, attempt: number, error = ERROR): TaskEvent => ({
  type: 'fail',
  worker,
  attempt,
  error,
});
export const release = (worker: string, attempt: number): TaskEvent => ({ type: 'release', worker, attempt });
/** By default, the lease of ann's boot expires. */
export const expire = (now = T0 + LEASE_MS, worker = 'ann'): TaskEvent => ({
  type: 'expire',
  boot: bootOf(worker),
  now,
});
export const copy = (worker: string): TaskEvent => ({ type: 'copy', worker });
export const loseCopy = (): TaskEvent => ({ type: 'lose_copy' });
export const cancel = (): TaskEvent => ({ type: 'cancel' });
export const retry = (reopened = 0): TaskEvent => ({ type: 'retry', reopened });
