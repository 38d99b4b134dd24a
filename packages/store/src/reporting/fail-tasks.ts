import { sql } from 'drizzle-orm';
import { assignments, guard } from '../database/rule-sql.ts';
import { copies, events, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { type LeaseArguments, type LockedTaskRow, lockedTasks } from '../tasks/locked-tasks.ts';
import { addToTallies } from '../tasks/tallies.ts';

type FailArguments = LeaseArguments & { errors: readonly (string | null)[] };

/**
 * T6, T10: a worker gives tasks up with an error. Each task goes back to pending or fails, as the rules say. An error
 * from a lease that no longer holds changes nothing and is recorded as an event. A copy that fails ends, and its
 * items are left to the holder for a while.
 */
export const failTasks = statement<FailArguments, LockedTaskRow>((arg) => {
  const worker = arg.worker('text');
  const failure = { worker, attempt: sql`locked.reported_attempt`, error: sql`locked.reported_error` };
  return sql`
  with ${lockedTasks(arg, arg.errors('text[]'))},
  changed as (
    update ${tasks} set ${assignments('fail', failure, sql`locked`)}
    from locked
    where ${tasks.id} = locked.id and ${guard('fail', failure, sql`locked`)}
    returning locked.position, locked.status as old_status, ${tasks.id}, ${tasks.jobId}, ${tasks.status} as new_status,
      locked.item_count - locked.outcome_count as missing
  ),
  failed_copy as (
    update ${copies} set ended = 'failed' from locked
    where ${copies.taskId} = locked.id and ${copies.attempt} = locked.reported_attempt and ${copies.workerId} = ${worker}
      and ${copies.ended} is null
  ),
  event as (
    insert into ${events} (kind, job_id, task_id, worker_id, attempt, detail)
    select case when changed.position is null then 'stale_failure' when changed.new_status = 'failed' then 'task_failed' else 'task_error' end,
      locked.job_id, locked.id, ${worker}, locked.reported_attempt, locked.reported_error
    from locked left join changed on changed.position = locked.position
    order by locked.position
  ),
  task_change as (
    select job_id, ${worker} as worker_id, old_status, new_status, 0 as granted, 0 as items_ok, 0 as items_error,
      case when new_status = 'failed' then missing else 0 end as items_failed
    from changed
  ),
  ${addToTallies({ failures: true, taskErrors: true })}
  select locked.position, locked.status as old_status, changed.new_status, locked.attempts, locked.cancelled, locked.job_id
  from locked left join changed on changed.position = locked.position`;
});
