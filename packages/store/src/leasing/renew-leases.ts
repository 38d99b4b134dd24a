import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { answerForLeasesAndCopies, changeCopies, itemsRecordedElsewhere } from '../copies/held-copies.ts';
import { assignments, guard } from '../database/rule-sql.ts';
import { tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { type LeaseArguments, type LockedTaskRow, lockedTasks } from '../tasks/locked-tasks.ts';
import { answerEachLease, type LeaseName, type LeaseRefusal } from './lease-answers.ts';

export type RenewArguments = LeaseArguments & { leaseMs: number };

interface RenewedRow extends LockedTaskRow {
  /** Null when there are none. */
  readonly recorded_elsewhere: readonly string[] | null;
}

/** Extends leases and copies. Changes no indexed column, so that the update stays on its page (HOT). */
export const renewStatement = statement<RenewArguments, RenewedRow>((arg) => {
  const lease = {
    worker: arg.worker('text'),
    attempt: sql`locked.reported_attempt`,
    leaseMs: arg.leaseMs('float8'),
  };
  return sql`
  with ${lockedTasks(arg)},
  changed as (
    update ${tasks} set ${assignments('renew', lease, sql`locked`)}
    from locked
    where ${tasks.id} = locked.id and ${guard('renew', lease, sql`locked`)}
    returning locked.position, ${tasks.status}
  ),
  ${changeCopies(
    lease.worker,
    sql`lease_until = now() + ${lease.leaseMs} * interval '1 millisecond'`,
    sql`locked.status <> 'done' and not locked.cancelled`,
  )}
  ${answerForLeasesAndCopies(sql`, ${itemsRecordedElsewhere(sql`locked`)} as recorded_elsewhere`)}`;
});

/** The answer to the renewal of one lease. */
export interface Renewal {
  readonly refusal: LeaseRefusal;
  /** Items of the lease that need not run: others had copies of them and have reported. */
  readonly recordedElsewhere: readonly string[];
}

/** Renews leases of a worker. Returns one answer for each lease, in order. */
export async function renewLeases(
  connections: ConnectionPools,
  worker: string,
  leases: readonly LeaseName[],
  leaseMs: number,
): Promise<Renewal[]> {
  const answers = await answerEachLease('renew', leases, (args) =>
    renewStatement.run(connections.relaxed, { worker, leaseMs, ...args }),
  );
  return answers.map(({ refusal, row }) => ({
    refusal,
    recordedElsewhere: row?.recorded_elsewhere ?? [],
  }));
}
