import { sql } from 'drizzle-orm';
import { boots, jobs, jobTallies, leases, prunedTallies, tasks, workers } from '../database/schema.ts';

export interface PulseRow {
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
 * How the pool is, from the tallies and the partial index of leased tasks: what it costs does not grow with the
 * tasks that have ended. A job whose end nobody has written down yet has nothing left to run and is not
 * unfinished.
 */
export const pulse = sql`
  with unfinished as materialized (
    select ${jobs.createdAt}, sum(pending) as pending, sum(leased) as leased, sum(done) as done, sum(failed) as failed
    from ${jobs} join ${jobTallies} on ${jobTallies.jobId} = ${jobs.id}
    where ${jobs.finishedAt} is null and ${jobs.cancelledAt} is null
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
  from totals, pruned`;

export interface SeenRow {
  readonly last_heartbeat_at: Date;
  readonly offline: boolean;
  readonly now: Date;
}

export const seenWorkers = sql`select last_heartbeat_at, offline, now() as now from ${workers}`;

export interface BootCountRow {
  readonly role: string;
  readonly verdict: string;
  readonly boots: number;
}

export const countBoots = sql`
  select role, verdict, count(*)::float8 as boots from ${boots} group by role, verdict`;

export const databaseClock = sql`select clock_timestamp() as now`;

export interface DatabaseRow {
  readonly server_version: string;
  readonly synchronous_commit: string;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly autovacuum: string;
  readonly max_connections: number;
  readonly reserved_connections: number;
  readonly used_connections: number;
  readonly bytes: number;
}

/** What decides whether an acknowledged result survives a crash, and how many control planes fit. */
export const databaseView = sql`
  select current_setting('server_version') as server_version,
    -- As the control plane's own sessions have it, which ask for it.
    current_setting('synchronous_commit') as synchronous_commit,
    current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
    current_setting('autovacuum') as autovacuum, current_setting('max_connections')::int as max_connections,
    current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true)::int, 0) as reserved_connections,
    (select count(*) from pg_stat_activity where backend_type = 'client backend')::int as used_connections,
    pg_database_size(current_database())::float8 as bytes`;
