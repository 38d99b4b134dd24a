import { type Refusal, refusal } from '@macbatch/core';
import { statusOf } from '../database/task-status.ts';
import type { HeldRow } from './fail.ts';

/** Why something that only the holder of a lease may do changed nothing, in core's words. */
export function heldRefusal(type: 'renew' | 'fail' | 'release', row: HeldRow, attempt: number): Refusal {
  const { attempts, cancelled } = row;
  return refusal({ status: statusOf(row.was), attempts, cancelled }, { type, attempt });
}
