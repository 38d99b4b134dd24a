import { sql } from 'drizzle-orm';
import { assignments, guard } from '../database/rule-sql.ts';
import { copies, events, leases, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { addToTallies } from '../tasks/tallies.ts';
import { countMinute } from '../throughput/count-minutes.ts';

export interface ExpiryCounts {
  /** Number of tasks that went back to pending. */
  readonly reclaimed: number;
  /** Number of tasks that failed because their leases expired too often (T11). */
  readonly failed: number;
  readonly job_ids: readonly string[] | null;
  /** True if the lease of a copy has passed and the copy has not been ended. */
  readonly copies_due: boolean;
  /** Milliseconds until the next lease of a task or copy ends; null when there is none. */
  readonly next_expiry_ms: number | null;
}

/**
 * T5, T11, R5: takes back up to `limit` tasks whose lease has passed. Two concurrent runs skip each other's rows, and
 * the guard checks the locked row again, so each expiry is recorded once.
 */
export const expireLeases = statement<{ limit: number }, ExpiryCounts>(
  (arg) => sql`
  with due as materialized (
    select ${tasks.id}, ${tasks.assignedWorker}, (
        select ${leases.bootId} from ${leases} where ${leases.taskId} = ${tasks.id} and ${leases.attempt} = ${tasks.attempts}
      ) as boot_id
    from ${tasks}
    where ${guard('expire', {})}
    order by ${tasks.id}
    limit ${arg.limit('int')}
    for no key update skip locked
  ),
  changed as (
    update ${tasks} set ${assignments('expire', { boot: sql`due.boot_id` })}
    from due
    where ${tasks.id} = due.id and ${guard('expire', {})}
    returning ${tasks.id}, ${tasks.jobId}, ${tasks.status}, ${tasks.attempts}, due.assigned_worker as worker_id,
      ${tasks.itemCount} - ${tasks.outcomeCount} as missing
  ),
  event as (
    insert into ${events} (kind, job_id, task_id, worker_id, attempt)
    select 'lease_expired', job_id, id, worker_id, attempts from changed order by id
  ),
  task_change as (
    select job_id, worker_id, 'leased' as old_status, status as new_status, 0 as granted, 0 as items_ok, 0 as items_error,
      case when status = 'failed' then missing else 0 end as items_failed
    from changed
  ),
  ${addToTallies({ expiries: true })},
  ${countMinute(sql`
    select job_id, worker_id, 0 as items_ok, 0 as items_error, 0 as input_tokens, 0 as output_tokens, count(*)::int as leases_expired
    from changed where worker_id is not null group by job_id, worker_id`)}
  select (count(*) filter (where status = 'pending'))::int as reclaimed,
    (count(*) filter (where status = 'failed'))::int as failed,
    array_agg(distinct job_id::text) as job_ids,
    exists (select from ${copies} where ${copies.ended} is null and ${copies.leaseUntil} <= now()) as copies_due,
    (extract(epoch from least(
      (select min(${tasks.leaseUntil}) from ${tasks} where ${tasks.status} = 'leased' and ${tasks.leaseUntil} > now()),
      (select min(${copies.leaseUntil}) from ${copies} where ${copies.ended} is null and ${copies.leaseUntil} > now())
    ) - now()) * 1000)::float8 as next_expiry_ms
  from changed`,
);
