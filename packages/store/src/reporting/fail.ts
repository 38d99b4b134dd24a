import { sql } from 'drizzle-orm';
import { assignments, guard } from '../database/rule-sql.ts';
import { copies, events, tasks } from '../database/schema.ts';
import { tallied } from '../tallies/add-to-tallies.ts';

const failure = {
  worker: sql`${sql.placeholder('worker')}::text`,
  attempt: sql`held.reported_attempt`,
  error: sql`held.reported_error`,
};

export interface HeldRow {
  readonly no: number;
  readonly was: string;
  readonly status: string | null;
  readonly attempts: number;
  readonly cancelled: boolean;
  readonly job_id: string;
}

/**
 * T6, T10: the holder gives tasks up. Each goes back to pending or fails, as the rules say; a failure
 * from a lease that no longer holds changes nothing and is noted as an event. The rules see the row as
 * it was locked: the table's own may be older, as this statement's snapshot has it.
 */
export const fail = sql`
  with entry as materialized (
    select * from unnest(
      ${sql.placeholder('numbers')}::int[], ${sql.placeholder('taskIds')}::bigint[],
      ${sql.placeholder('attempts')}::int[], ${sql.placeholder('errors')}::text[]
    ) as entry (no, task_id, attempt, error)
  ),
  held as materialized (
    select entry.no, entry.attempt as reported_attempt, entry.error as reported_error, ${tasks}.*
    from entry join ${tasks} on ${tasks.id} = entry.task_id
    order by ${tasks.id}
    for no key update of ${tasks}
  ),
  changed as (
    update ${tasks} set ${assignments('fail', failure, sql`held`)}
    from held
    where ${tasks.id} = held.id and ${guard('fail', failure, sql`held`)}
    returning held.no, held.status as was, ${tasks.id}, ${tasks.jobId}, ${tasks.status}, held.item_count - held.outcome_count as missing
  ),
  over as ( -- what fails on a copy is left to the holder for a while
    update ${copies} set ended = 'failed' from held
    where ${copies.taskId} = held.id and ${copies.attempt} = held.reported_attempt and ${copies.workerId} = ${failure.worker}
      and ${copies.ended} is null
  ),
  noted as (
    insert into ${events} (kind, job_id, task_id, worker_id, attempt, detail)
    select case when changed.no is null then 'stale_failure' when changed.status = 'failed' then 'task_failed' else 'task_error' end,
      held.job_id, held.id, ${failure.worker}, held.reported_attempt, held.reported_error
    from held left join changed on changed.no = held.no
    order by held.no
  ),
  moved as (
    select job_id, ${failure.worker} as worker_id, was, status, 0 as granted, 0 as items_ok, 0 as items_error,
      case when status = 'failed' then missing else 0 end as items_failed
    from changed
  ),
  ${tallied({ blameWorker: true, givenUp: true })}
  select held.no, held.status as was, changed.status, held.attempts, held.cancelled, held.job_id
  from held left join changed on changed.no = held.no`;
