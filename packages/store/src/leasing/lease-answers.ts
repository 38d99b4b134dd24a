import type { Refusal } from '@macbatch/core';
import { retryOnConflict } from '../database/retry-on-conflict.ts';
import { leaseRefusal } from '../tasks/lease-refusal.ts';
import type { LeaseArguments, LockedTaskRow } from '../tasks/locked-tasks.ts';
import { taskBatches } from '../tasks/task-batches.ts';

/** Names one lease. */
export interface LeaseName {
  readonly taskId: string;
  readonly attempt: number;
}

/** A lease whose task goes back unfinished. */
export interface ReleasedLease extends LeaseName {
  /** The model server of the worker has rejected the items and answered no other: see `leftToOthers`. */
  readonly rejected?: boolean;
}

/** One text for each lease. */
export function leaseKey({ taskId, attempt }: LeaseName): string {
  return `${taskId}/${attempt}`;
}

/** Why a call for a lease was refused; null when it took effect. */
export type LeaseRefusal = Refusal | 'not_found' | null;

/** The answer for one lease, with the row of its task; undefined when there is no such task. */
export interface LeaseAnswer<Row> {
  readonly refusal: LeaseRefusal;
  readonly row: Row | undefined;
}

/** Runs a statement over these leases, in batches. Returns one answer for each lease, in order. */
export async function answerEachLease<Row extends LockedTaskRow, Lease extends LeaseName>(
  type: 'renew' | 'release',
  leases: readonly Lease[],
  run: (args: Omit<LeaseArguments, 'worker'>, batch: readonly Lease[]) => Promise<readonly Row[]>,
): Promise<LeaseAnswer<Row>[]> {
  const rows = new Map<number, Row>();
  for (const batch of taskBatches(leases)) {
    const found = await retryOnConflict(() =>
      run(
        {
          positions: batch.map(({ position }) => position),
          taskIds: batch.map(({ entry }) => entry.taskId),
          attempts: batch.map(({ entry }) => entry.attempt),
        },
        batch.map(({ entry }) => entry),
      ),
    );
    for (const row of found) rows.set(row.position, row);
  }
  return leases.map(({ attempt }, position) => {
    const row = rows.get(position);
    if (row === undefined) return { refusal: 'not_found', row };
    return { refusal: row.new_status === null ? leaseRefusal(type, row, attempt) : null, row };
  });
}
