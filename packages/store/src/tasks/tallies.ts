import { type SQL, sql } from 'drizzle-orm';
import { jobTallies } from '../database/schema.ts';
import { decayedItems } from './recent-items.ts';

/** Counts of the statement other than the changes of status. */
interface Counted {
  /** Each task that became `failed` counts as a failure of the worker. */
  readonly failures?: boolean;
  /** Each change is an expired lease. */
  readonly expiries?: boolean;
  /** Each change is an error of the task as a whole. */
  readonly taskErrors?: boolean;
}

/**
 * Builds the common table expression `tallied`, which adds task changes to the tallies of their jobs and workers.
 *
 * The statement must also have a common table expression `task_change` with one row per changed task: job_id,
 * worker_id, old_status, new_status, granted, items_ok, items_error, items_failed. Rows are ordered by job, so that two batches over the same jobs can't deadlock.
 */
export function addToTallies(counted: Counted = {}): SQL {
  const net = (status: string) =>
    sql.raw(
      `count(*) filter (where new_status = '${status}' and old_status <> '${status}') - count(*) filter (where old_status = '${status}' and new_status <> '${status}')`,
    );
  const countIf = (wanted: boolean | undefined, count: string) => sql.raw(wanted === true ? count : '0');
  const expiries = countIf(counted.expiries, 'count(*)');
  const taskErrors = countIf(counted.taskErrors, 'count(*)');
  const failures = countIf(
    counted.failures,
    `count(*) filter (where new_status = 'failed' and old_status <> 'failed')`,
  );
  return sql`tallied as (
    insert into ${jobTallies} as tally (job_id, worker_id, pending, leased, done, failed, leases_granted, tasks_done, tasks_failed, items_ok, items_error, items_failed, leases_expired, task_errors, last_leased_at, recent_items)
    select job_id, worker_id, ${net('pending')}, ${net('leased')}, ${net('done')}, ${net('failed')},
      sum(granted), count(*) filter (where new_status = 'done' and old_status <> 'done'), ${failures}, sum(items_ok), sum(items_error), sum(items_failed), ${expiries}, ${taskErrors},
      case when sum(granted) > 0 then now() end, greatest(0, sum(items_ok + items_error))
    from task_change
    group by job_id, worker_id
    order by job_id, worker_id
    on conflict (job_id, worker_id) do update set
      pending = tally.pending + excluded.pending,
      leased = tally.leased + excluded.leased,
      done = tally.done + excluded.done,
      failed = tally.failed + excluded.failed,
      leases_granted = tally.leases_granted + excluded.leases_granted,
      tasks_done = tally.tasks_done + excluded.tasks_done,
      tasks_failed = tally.tasks_failed + excluded.tasks_failed,
      items_ok = tally.items_ok + excluded.items_ok,
      items_error = tally.items_error + excluded.items_error,
      items_failed = tally.items_failed + excluded.items_failed,
      leases_expired = tally.leases_expired + excluded.leases_expired,
      task_errors = tally.task_errors + excluded.task_errors,
      last_leased_at = coalesce(excluded.last_leased_at, tally.last_leased_at),
      recent_items = ${decayedItems(sql.raw('tally.recent_items'), sql.raw('tally.last_at'))} + excluded.recent_items,
      last_at = now()
  )`;
}
