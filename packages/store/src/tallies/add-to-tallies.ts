import { type SQL, sql } from 'drizzle-orm';
import { jobTallies } from '../database/schema.ts';
import { faded } from './recent-items.ts';

/**
 * A common table expression that adds what `moved` did to the tallies of its jobs and workers. `moved`
 * has a row for each task changed: job_id, worker_id, was, status, granted, items_ok, items_error, items_failed.
 * Jobs in the order of their ids, so that two batches over the same jobs can't wait for each other.
 */
export function tallied(options: {
  readonly blameWorker: boolean;
  readonly expired?: boolean;
  readonly givenUp?: boolean;
}): SQL {
  const net = (status: string) =>
    sql.raw(
      `count(*) filter (where status = '${status}' and was <> '${status}') - count(*) filter (where was = '${status}' and status <> '${status}')`,
    );
  const expiries = options.expired === true ? sql.raw('count(*)') : sql.raw('0');
  const taskErrors = options.givenUp === true ? sql.raw('count(*)') : sql.raw('0');
  const failures = options.blameWorker
    ? sql.raw(`count(*) filter (where status = 'failed' and was <> 'failed')`)
    : sql.raw('0');
  return sql`tallied as (
    insert into ${jobTallies} as tally (job_id, worker_id, pending, leased, done, failed, leases_granted, tasks_done, tasks_failed, items_ok, items_error, items_failed, leases_expired, task_errors, last_leased_at, recent_items)
    select job_id, worker_id, ${net('pending')}, ${net('leased')}, ${net('done')}, ${net('failed')},
      sum(granted), count(*) filter (where status = 'done' and was <> 'done'), ${failures}, sum(items_ok), sum(items_error), sum(items_failed), ${expiries}, ${taskErrors},
      case when sum(granted) > 0 then now() end, greatest(0, sum(items_ok + items_error))
    from moved
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
      recent_items = ${faded(sql.raw('tally.recent_items'), sql.raw('tally.last_at'))} + excluded.recent_items,
      last_at = now()
  )`;
}
