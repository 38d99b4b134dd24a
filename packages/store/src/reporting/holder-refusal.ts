import { newTask, type Refusal, refusal } from '@macbatch/core';
import { statusOf } from '../database/task-status.ts';
import type { HeldRow } from './fail.ts';

/** Why something that only the holder of a lease may do changed nothing, in core's words. */
export function heldRefusal(type: 'renew' | 'fail' | 'release', row: HeldRow, attempt: number): Refusal {
  const found = { status: statusOf(row.was), attempts: row.attempts, cancelled: row.cancelled };
  const task = { ...newTask(0, 'attempts'), ...found };
  return refusal(task, { type, worker: '', attempt, error: '', leaseMs: 0, now: 0 });
}
