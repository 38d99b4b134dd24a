import { type Refusal, refusal } from '@macbatch/core';
import type { LockedTaskRow } from './locked-tasks.ts';
import { parseTaskStatus } from './task-status.ts';

/** Says why an event that only the holder of a lease may cause changed nothing. */
export function leaseRefusal(
  type: 'renew' | 'fail' | 'release',
  { old_status, attempts, cancelled }: LockedTaskRow,
  attempt: number,
): Refusal {
  return refusal({ status: parseTaskStatus(old_status), attempts, cancelled }, { type, attempt });
}
