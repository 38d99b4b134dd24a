import type { ConnectionPools } from '@macbatch/connection';
import type { Refusal } from '@macbatch/core';
import { type Statement, statement } from '../database/statement.ts';
import { batches } from '../database/task-batches.ts';
import { onceMore } from '../database/transient.ts';
import type { HeldRow } from '../reporting/fail.ts';
import { heldRefusal } from '../reporting/holder-refusal.ts';
import { type RenewedRow, release, renew } from './release.ts';

export interface LeaseName {
  readonly taskId: string;
  readonly attempt: number;
}

/** Null when the lease held and the call took effect. */
export type LeaseRefusal = Refusal | 'not_found' | null;

export type HeldArguments = { worker: string; numbers: number[]; taskIds: string[]; attempts: number[] };

/** What came of the renewal of one lease. */
export interface Renewal {
  readonly refusal: LeaseRefusal;
  /** Items of it that need not be run any more: others had copies of them, and have reported. */
  readonly settled: readonly string[];
}

/** Renews leases and takes them back from their holders; copies like the leases that they copy. */
export class HeldLeases {
  readonly #connections: ConnectionPools;
  readonly #release: Statement<HeldArguments, HeldRow>;
  readonly #renew: Statement<HeldArguments & { leaseMs: number }, RenewedRow>;

  constructor(connections: ConnectionPools) {
    this.#connections = connections;
    this.#release = statement(release);
    this.#renew = statement(renew);
  }

  /** One answer for each lease, in order. */
  async release(worker: string, leases: readonly LeaseName[]): Promise<LeaseRefusal[]> {
    const rows = await eachOf(leases, (args) =>
      this.#release.run(this.#connections.durable, { worker, ...args }),
    );
    return leases.map((lease, no) => answer('release', rows.get(no), lease));
  }

  /** One answer for each lease, in order. */
  async renew(worker: string, leases: readonly LeaseName[], leaseMs: number): Promise<Renewal[]> {
    const rows = await eachOf(leases, (args) =>
      this.#renew.run(this.#connections.relaxed, { worker, leaseMs, ...args }),
    );
    return leases.map((lease, no) => {
      const row = rows.get(no);
      return { refusal: answer('renew', row, lease), settled: row?.settled ?? [] };
    });
  }
}

function answer(type: 'renew' | 'release', row: HeldRow | undefined, { attempt }: LeaseName): LeaseRefusal {
  if (row === undefined) return 'not_found';
  return row.status === null ? heldRefusal(type, row, attempt) : null;
}

/** The rows by the places of their leases in the call. */
async function eachOf<Row extends HeldRow>(
  leases: readonly LeaseName[],
  run: (args: Omit<HeldArguments, 'worker'>) => Promise<readonly Row[]>,
): Promise<ReadonlyMap<number, Row>> {
  const found = new Map<number, Row>();
  for (const batch of batches(leases)) {
    const rows = await onceMore(() =>
      run({
        numbers: batch.map(({ no }) => no),
        taskIds: batch.map(({ entry }) => entry.taskId),
        attempts: batch.map(({ entry }) => entry.attempt),
      }),
    );
    for (const row of rows) found.set(row.no, row);
  }
  return found;
}
