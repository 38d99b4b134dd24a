import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { answerForLeasesAndCopies, changeCopies, itemsRecordedElsewhere } from '../copies/held-copies.ts';
import { assignments, guard } from '../database/rule-sql.ts';
import { events, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { type LeaseArguments, type LockedTaskRow, lockedTasks } from '../tasks/locked-tasks.ts';
import { addToTallies } from '../tasks/tallies.ts';
import { isPresentBoot, lockOwnWorker } from '../workers/goodbye.ts';
import { answerEachLease, type LeaseName, type LeaseRefusal } from './lease-answers.ts';

export type RenewArguments = LeaseArguments & { boot: string; leaseMs: number };

interface RenewedRow extends LockedTaskRow {
  /** Item ids; null when there are none. */
  readonly recorded_elsewhere: readonly string[] | null;
}

/**
 * Extends leases and copies, and resumes lapsed leases (T14), for the present boot of a worker. A late renewal of a
 * dead boot is refused (W8): nobody would run what it keeps. Extending a lease changes no indexed column, so that
 * Postgres can use a heap-only (HOT) update.
 */
export const renewStatement = statement<RenewArguments, RenewedRow>((arg) => {
  const lease = {
    worker: arg.worker('text'),
    boot: arg.boot('text'),
    attempt: sql`locked.reported_attempt`,
    leaseMs: arg.leaseMs('float8'),
  };
  return sql`
  with ${lockOwnWorker(lease.worker)},
  ${lockedTasks(arg)},
  changed as (
    update ${tasks} set ${assignments('renew', lease, sql`locked`)}
    from locked
    where ${tasks.id} = locked.id and not locked.job_cancelled and ${isPresentBoot(lease.boot)}
      and ${guard('renew', lease, sql`locked`)}
    returning locked.position, locked.status as old_status, ${tasks.id}, ${tasks.jobId}, ${tasks.status}
  ),
  resumed as (select * from changed where old_status <> status),
  event as (
    insert into ${events} (kind, job_id, task_id, worker_id, attempt)
    select 'lease_resumed', resumed.job_id, resumed.id, ${lease.worker}, locked.reported_attempt
    from resumed join locked on locked.position = resumed.position
    order by resumed.position
  ),
  task_change as (
    select job_id, ${lease.worker} as worker_id, old_status, status as new_status, 0 as granted,
      0 as items_ok, 0 as items_error, 0 as items_failed
    from resumed
  ),
  ${addToTallies()},
  ${changeCopies(
    lease.worker,
    sql`lease_until = now() + ${lease.leaseMs} * interval '1 millisecond'`,
    sql`locked.status <> 'done' and not locked.cancelled and not locked.job_cancelled and ${isPresentBoot(lease.boot)}`,
  )}
  ${answerForLeasesAndCopies(sql`, ${itemsRecordedElsewhere(sql`locked`)} as recorded_elsewhere`)}`;
});

/** The answer to the renewal of one lease. */
export interface Renewal {
  readonly refusal: LeaseRefusal;
  /** Ids of items that need not run, because another worker has reported an outcome from a copy. */
  readonly recordedElsewhere: readonly string[];
}

/** The worker that renews, its boot, and how long its leases last from now on. */
export interface Renewer {
  readonly worker: string;
  readonly boot: string;
  readonly leaseMs: number;
}

/** Renews leases of a worker. Returns one answer for each lease, in order. */
export async function renewLeases(
  connections: ConnectionPools,
  { worker, boot, leaseMs }: Renewer,
  leases: readonly LeaseName[],
): Promise<Renewal[]> {
  const answers = await answerEachLease('renew', leases, (args) =>
    renewStatement.run(connections.relaxed, { worker, boot, leaseMs, ...args }),
  );
  return answers.map(({ refusal, row }) => ({
    refusal,
    recordedElsewhere: row?.recorded_elsewhere ?? [],
  }));
}
