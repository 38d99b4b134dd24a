import type { ConnectionPools } from '@macbatch/connection';
import { isAlive } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { boots, jobs, jobTallies, leases, prunedTallies, tasks, workers } from '../database/schema.ts';
import { type NoArguments, statement } from '../database/statement.ts';
import { jobIsOpen } from '../jobs/open-job.ts';
import { readTransactionAge, type TransactionAge } from '../operations/transaction-age.ts';

/** Counts over the whole pool. Counts of things that have ended include pruned jobs. */
interface PulseRow {
  readonly unfinished_jobs: number;
  readonly oldest_job_seconds: number | null;
  readonly pending: number;
  readonly leased: number;
  readonly done: number;
  readonly failed: number;
  readonly oldest_lease_seconds: number | null;
  readonly overdue_leases: number;
  readonly leases_granted: number;
  readonly leases_expired: number;
  readonly tasks_done: number;
  readonly tasks_failed: number;
  readonly items_ok: number;
  readonly items_error: number;
  readonly items_failed: number;
}

/**
 * Reads the tallies and the partial index of leased tasks: the cost does not grow with the tasks that have ended. A
 * job that has ended is not counted as unfinished, even if its end is not recorded yet.
 */
const readCounts = statement<NoArguments, PulseRow>(
  () => sql`
  with unfinished as materialized (
    select ${jobs.createdAt}, sum(pending) as pending, sum(leased) as leased, sum(done) as done, sum(failed) as failed
    from ${jobs} join ${jobTallies} on ${jobTallies.jobId} = ${jobs.id}
    where ${jobIsOpen}
    group by ${jobs.id}
    having sum(pending) + sum(leased) > 0
  ),
  held as materialized (
    select ${leases.leasedAt}, ${tasks.leaseUntil} < now() as overdue
    from ${tasks} join ${leases} on ${leases.taskId} = ${tasks.id} and ${leases.attempt} = ${tasks.attempts}
    where ${tasks.status} = 'leased'
  ),
  totals as (
    select coalesce(sum(leases_granted), 0) as leases_granted, coalesce(sum(leases_expired), 0) as leases_expired,
      coalesce(sum(tasks_done), 0) as tasks_done, coalesce(sum(tasks_failed), 0) as tasks_failed,
      coalesce(sum(items_ok), 0) as items_ok, coalesce(sum(items_error), 0) as items_error,
      coalesce(sum(items_failed), 0) as items_failed
    from ${jobTallies}
  ),
  pruned as (
    select coalesce(sum(leases_granted), 0) as leases_granted, coalesce(sum(leases_expired), 0) as leases_expired,
      coalesce(sum(tasks_done), 0) as tasks_done, coalesce(sum(tasks_failed), 0) as tasks_failed,
      coalesce(sum(items_ok), 0) as items_ok
    from ${prunedTallies}
  )
  select
    (select count(*) from unfinished)::float8 as unfinished_jobs,
    (select extract(epoch from now() - min(created_at)) from unfinished)::float8 as oldest_job_seconds,
    (select coalesce(sum(pending), 0) from unfinished)::float8 as pending,
    (select coalesce(sum(leased), 0) from unfinished)::float8 as leased,
    (select coalesce(sum(done), 0) from unfinished)::float8 as done,
    (select coalesce(sum(failed), 0) from unfinished)::float8 as failed,
    (select extract(epoch from now() - min(leased_at)) from held)::float8 as oldest_lease_seconds,
    (select count(*) filter (where overdue) from held)::float8 as overdue_leases,
    (totals.leases_granted + pruned.leases_granted)::float8 as leases_granted,
    (totals.leases_expired + pruned.leases_expired)::float8 as leases_expired,
    (totals.tasks_done + pruned.tasks_done)::float8 as tasks_done,
    (totals.tasks_failed + pruned.tasks_failed)::float8 as tasks_failed,
    (totals.items_ok + pruned.items_ok)::float8 as items_ok,
    totals.items_error::float8 as items_error, totals.items_failed::float8 as items_failed
  from totals, pruned`,
);

interface WorkerSeenRow {
  readonly last_heartbeat_at: Date;
  readonly offline: boolean;
  readonly now: Date;
}

const readWorkersSeen = statement<NoArguments, WorkerSeenRow>(
  () => sql`select last_heartbeat_at, offline, now() as now from ${workers}`,
);

interface BootCount {
  readonly role: string;
  readonly verdict: string;
  readonly boots: number;
}

const countBoots = statement<NoArguments, BootCount>(
  () => sql`select role, verdict, count(*)::float8 as boots from ${boots} group by role, verdict`,
);

/** The state of the whole pool at one moment. Counts of things that have ended include pruned jobs. */
export interface Pulse {
  readonly unfinishedJobs: number;
  /** Seconds since the submission of the oldest unfinished job; null when there is none. */
  readonly oldestJobSeconds: number | null;
  /** Tasks of unfinished jobs. */
  readonly tasks: {
    readonly pending: number;
    readonly leased: number;
    readonly done: number;
    readonly failed: number;
  };
  /** Seconds since the oldest lease was granted; null when none is held. */
  readonly oldestLeaseSeconds: number | null;
  /** Leases that have passed and that no request has reclaimed yet. */
  readonly overdueLeases: number;
  readonly leasesGranted: number;
  readonly leasesExpired: number;
  readonly tasksDone: number;
  readonly tasksFailed: number;
  readonly itemsOk: number;
  /** Decreases when a person retries failed work and when jobs are pruned, like `itemsFailed`. */
  readonly itemsError: number;
  readonly itemsFailed: number;
  readonly workers: { readonly alive: number; readonly silent: number; readonly offline: number };
  readonly boots: readonly BootCount[];
  readonly transactions: TransactionAge;
}

/** Reads the state of the whole pool from few rows. */
export async function readPulse(connections: ConnectionPools): Promise<Pulse> {
  const { durable } = connections;
  const [row, seen, bootCounts, transactions] = await Promise.all([
    readCounts.one(durable),
    readWorkersSeen.run(durable),
    countBoots.run(durable),
    readTransactionAge(connections),
  ]);
  return {
    unfinishedJobs: row.unfinished_jobs,
    oldestJobSeconds: row.oldest_job_seconds,
    tasks: { pending: row.pending, leased: row.leased, done: row.done, failed: row.failed },
    oldestLeaseSeconds: row.oldest_lease_seconds,
    overdueLeases: row.overdue_leases,
    leasesGranted: row.leases_granted,
    leasesExpired: row.leases_expired,
    tasksDone: row.tasks_done,
    tasksFailed: row.tasks_failed,
    itemsOk: row.items_ok,
    itemsError: row.items_error,
    itemsFailed: row.items_failed,
    workers: countByLiveness(seen),
    boots: bootCounts,
    transactions,
  };
}

function countByLiveness(seen: readonly WorkerSeenRow[]): Pulse['workers'] {
  const counts = { alive: 0, silent: 0, offline: 0 };
  for (const { last_heartbeat_at, offline, now } of seen) {
    const alive = isAlive({ lastHeartbeatAt: last_heartbeat_at.getTime(), offline }, now.getTime());
    counts[offline ? 'offline' : alive ? 'alive' : 'silent'] += 1;
  }
  return counts;
}
