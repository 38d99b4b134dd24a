import type { Refusal } from '@macbatch/core';
import type { Connections } from './connections.ts';
import { batches } from './entry-batch.ts';
import { heldRefusal } from './held-refusal.ts';
import { type Statement, statement } from './statement.ts';
import type { HeldRow } from './statements/fail.ts';
import { release, renew } from './statements/release.ts';
import { onceMore } from './transient.ts';

export interface LeaseName {
  readonly taskId: string;
  readonly attempt: number;
}

/** Null when the lease held and the call took effect. */
export type LeaseRefusal = Refusal | 'not_found' | null;

export type HeldArguments = { worker: string; numbers: number[]; taskIds: string[]; attempts: number[] };

/** Renews leases and takes them back from their holders. */
export class HeldLeases {
  readonly #connections: Connections;
  readonly #release: Statement<HeldArguments, HeldRow>;
  readonly #renew: Statement<HeldArguments & { leaseMs: number }, HeldRow>;

  constructor(connections: Connections) {
    this.#connections = connections;
    this.#release = statement(release);
    this.#renew = statement(renew);
  }

  /** One answer for each lease, in order. */
  release(worker: string, leases: readonly LeaseName[]): Promise<LeaseRefusal[]> {
    return answers('release', leases, (args) =>
      this.#release.run(this.#connections.durable, { worker, ...args }),
    );
  }

  /** One answer for each lease, in order. */
  renew(worker: string, leases: readonly LeaseName[], leaseMs: number): Promise<LeaseRefusal[]> {
    return answers('renew', leases, (args) =>
      this.#renew.run(this.#connections.relaxed, { worker, leaseMs, ...args }),
    );
  }
}

async function answers(
  type: 'renew' | 'release',
  leases: readonly LeaseName[],
  run: (args: Omit<HeldArguments, 'worker'>) => Promise<readonly HeldRow[]>,
): Promise<LeaseRefusal[]> {
  const found: LeaseRefusal[] = leases.map(() => 'not_found');
  for (const batch of batches(leases)) {
    const rows = await onceMore(() =>
      run({
        numbers: batch.map(({ no }) => no),
        taskIds: batch.map(({ entry }) => entry.taskId),
        attempts: batch.map(({ entry }) => entry.attempt),
      }),
    );
    for (const row of rows)
      found[row.no] = row.status === null ? heldRefusal(type, row, leases[row.no]?.attempt ?? 0) : null;
  }
  return found;
}
