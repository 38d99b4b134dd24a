import { sql } from 'drizzle-orm';
import { settledElsewhere } from '../copies/copy-statements.ts';
import { assignments, guard } from '../database/rule-sql.ts';
import {
  copies,
  items,
  jobModels,
  jobs,
  jobTallies,
  leases,
  ledger,
  results,
  tasks,
} from '../database/schema.ts';
import { tallied } from '../tallies/add-to-tallies.ts';

const worker = sql`${sql.placeholder('worker')}::text`;

export interface ReportedRow {
  readonly no: number;
  /** The status before. */
  readonly was: string;
  /** The status now, or null when the entry changed nothing. */
  readonly status: string | null;
  readonly assigned_worker: string | null;
  readonly job_id: string;
  readonly attempts: number;
  readonly granted: boolean;
  readonly cancelled: boolean;
  readonly unknown: number;
  readonly missing: number;
  /** For a task that is done now: how many of its job's were still to end before this statement. */
  readonly unfinished: number | null;
  /** Items that others have outcomes of, from copies; null where there are none. */
  readonly settled: readonly string[] | null;
}

/**
 * T7, T9, I4: records the outcomes of several tasks and, in the same statement, moves each task whose
 * items now all have one to `done`. Outcomes are welcome from any lease that was really granted, late or
 * not, while the task is not done; the first outcome of an item wins by the primary key of `results`.
 *
 * The tasks are locked in the order of their ids, so that overlapping batches can't deadlock. From then on the
 * rules see the rows as they were locked: the table's own, as this statement's snapshot has them, may be older,
 * and what is recorded and what is counted must not be decided on different rows.
 */
export const report = sql`
  with entry as materialized (
    select * from unnest(
      ${sql.placeholder('numbers')}::int[], ${sql.placeholder('taskIds')}::bigint[],
      ${sql.placeholder('attempts')}::int[], ${sql.placeholder('finals')}::int[]
    ) as entry (no, task_id, attempt, is_final)
  ),
  held as materialized (
    select entry.no, entry.attempt as reported_attempt, entry.is_final = 1 as final, ${tasks}.*,
      -- The holder's own lease is as good as its row, which is then not looked up.
      (${tasks.status} = 'leased' and ${tasks.attempts} = entry.attempt and ${tasks.assignedWorker} = ${worker}) or exists (
        select from ${leases}
        where ${leases.taskId} = entry.task_id and ${leases.attempt} = entry.attempt and ${leases.workerId} = ${worker}
        offset 0 -- looked up by key: without this all leases of the worker may be read into a hash
      ) or exists (
        select from ${copies}
        where ${copies.taskId} = entry.task_id and ${copies.attempt} = entry.attempt and ${copies.workerId} = ${worker}
        offset 0
      ) as granted,
      ${jobs.cancelledAt} is not null as job_cancelled, ${jobs.owner}
    from entry
    join ${tasks} on ${tasks.id} = entry.task_id
    join ${jobs} on ${jobs.id} = ${tasks.jobId}
    order by ${tasks.id}
    for no key update of ${tasks}
  ),
  offered as materialized (
    select outcome.*, held.job_id, ${items.seq}, ${items.key}
    from unnest(
      ${sql.placeholder('outcomeTaskIds')}::bigint[], ${sql.placeholder('itemIds')}::text[], ${sql.placeholder('outputs')}::text[],
      ${sql.placeholder('errors')}::text[], ${sql.placeholder('modelIds')}::int[], ${sql.placeholder('usages')}::text[]
    ) as outcome (task_id, item_id, output, error, model_id, usage)
    join held on held.id = outcome.task_id
    left join ${items} on ${items.jobId} = held.job_id and ${items.itemId} = outcome.item_id
      and ${items.seq} >= held.first_seq and ${items.seq} < held.first_seq + held.item_count
  ),
  count_by_task as materialized (
    select task_id, count(*)::int as outcomes, count(seq)::int as known from offered group by task_id
  ),
  checked as materialized (
    select held.*, coalesce(outcomes - known, 0) as unknown,
      case when final and coalesce(known, 0) < item_count then
        item_count - coalesce(known, 0) - (
          select count(*) from ${results}
          where ${results.jobId} = held.job_id
            and ${results.seq} >= held.first_seq and ${results.seq} < held.first_seq + held.item_count
            and ${results.seq} not in (select offered.seq from offered where offered.task_id = held.id and offered.seq is not null))
      else 0 end::int as missing
    from held left join count_by_task on count_by_task.task_id = held.id
  ),
  welcome as materialized (
    select * from checked
    where granted and not job_cancelled and unknown = 0 and missing = 0
      and ${guard('report', { attempt: sql`checked.reported_attempt`, recorded: sql`0` }, sql`checked`)}
  ),
  recorded as (
    insert into ${results} (job_id, seq, output, error, task_id, attempt, model_id, usage)
    select offered.job_id, offered.seq, offered.output, offered.error, offered.task_id, welcome.reported_attempt, offered.model_id, offered.usage
    from offered join welcome on welcome.id = offered.task_id
    order by offered.job_id, offered.seq
    on conflict do nothing
    returning task_id, error is null as ok
  ),
  recorded_by_task as (
    select task_id, count(*)::int as recorded, (count(*) filter (where ok))::int as items_ok from recorded group by task_id
  ),
  arrived as materialized ( -- a full join, because it can't become a loop over all pairs; every count has its task
    select welcome.*, coalesce(recorded, 0) as recorded, coalesce(items_ok, 0) as items_ok
    from welcome full join recorded_by_task on recorded_by_task.task_id = welcome.id
  ),
  changed as (
    update ${tasks} set ${assignments('report', { worker, attempt: sql`arrived.reported_attempt`, recorded: sql`arrived.recorded` }, sql`arrived`)}
    from arrived
    where ${tasks.id} = arrived.id
    returning arrived.no, arrived.status as was, ${tasks.jobId}, ${tasks.status}, arrived.items_ok, arrived.recorded - arrived.items_ok as items_error,
      arrived.item_count - arrived.outcome_count as missing, arrived.recorded
  ),
  moved as ( -- without what says nothing new: nobody is kept from copying by a holder that only speaks
    select job_id, ${worker} as worker_id, was, status, 0 as granted, items_ok, items_error,
      case when status = 'failed' then missing - recorded else 0 end - case when was = 'failed' then missing else 0 end as items_failed
    from changed where recorded > 0 or status <> was
  ),
  ${tallied({ blameWorker: true })},
  used as (
    insert into ${jobModels} (job_id, model_id)
    select distinct offered.job_id, offered.model_id from offered
    where offered.model_id is not null and offered.task_id in (select id from welcome)
    on conflict do nothing
  ),
  paid as (
    insert into ${ledger} (owner, key, job_id, seq)
    select distinct on (welcome.owner, offered.key) welcome.owner, offered.key, offered.job_id, offered.seq
    from offered join welcome on welcome.id = offered.task_id
    where offered.key is not null and offered.output is not null
    order by welcome.owner, offered.key, offered.seq
    on conflict do nothing
  ),
  remaining as materialized (
    select job_id, (sum(pending) + sum(leased))::int as unfinished from ${jobTallies}
    where job_id in (select job_id from changed where status = 'done')
    group by job_id
  )
  select checked.no, checked.status as was, changed.status, checked.assigned_worker, checked.job_id, checked.attempts, checked.granted,
    checked.cancelled or checked.job_cancelled as cancelled, checked.unknown, checked.missing,
    remaining.unfinished, ${settledElsewhere(sql`checked`)} as settled
  from checked left join changed on changed.no = checked.no left join remaining on remaining.job_id = changed.job_id`;
