import { sql } from 'drizzle-orm';
import { itemsRecordedElsewhere } from '../copies/held-copies.ts';
import { assignments, guard } from '../database/rule-sql.ts';
import {
  copies,
  events,
  items,
  jobModels,
  jobs,
  jobTallies,
  leases,
  ledger,
  results,
  tasks,
} from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import type { LeaseArguments, LockedTaskRow } from '../tasks/locked-tasks.ts';
import { addToTallies } from '../tasks/tallies.ts';
import { isItemOf } from '../tasks/task-items.ts';
import { countMinute, tokensIn } from '../throughput/count-minutes.ts';

/** The first arrays have an element for each entry, the others one for each outcome. */
type ReportArguments = LeaseArguments & {
  /** 1 for a final entry: the driver takes an array of booleans for one boolean. */
  finals: readonly number[];
  outcomeTaskIds: readonly string[];
  itemIds: readonly string[];
  outputs: readonly (string | null)[];
  errors: readonly (string | null)[];
  modelIds: readonly (number | null)[];
  usages: readonly (string | null)[];
  requestIds: readonly (string | null)[];
};

export interface ReportedRow extends LockedTaskRow {
  /** Another transaction changed the task after the statement's snapshot. Nothing was recorded: run it again. */
  readonly raced: boolean;
  readonly assigned_worker: string | null;
  /** The worker really had this lease, or a copy of its items. */
  readonly granted: boolean;
  /** The entry was accepted without its item errors. */
  readonly errors_dropped: boolean;
  /** Reported items that are not in the task. */
  readonly unknown: number;
  /** Items without an outcome, although the entry is final. */
  readonly missing: number;
  /** For a task that is done now: unfinished tasks of its job before this statement. */
  readonly unfinished_tasks: number | null;
  /** Item ids; null when there are none. */
  readonly recorded_elsewhere: readonly string[] | null;
}

/**
 * T7, T9, I4: records the outcomes of several tasks, and moves each task whose items all have one now to `done`.
 * Results from any lease that was really granted are recorded, late or not, while the task is not done. The first
 * outcome of an item wins, by the primary key of `results`.
 *
 * T10: an item error is recorded only from the current lease or a lapsed one. Others are dropped: the entry keeps its
 * results, an event says so, and a copy whose item failed ends.
 *
 * Tasks are locked in the order of their ids, so that overlapping batches can't deadlock. The rules read the locked
 * rows: the table's own rows are those of the snapshot and can be older, and recording and counting must not decide
 * on different rows. Outcomes are read from the snapshot: an entry whose task has changed since then is left for
 * another run of the statement.
 */
export const reportOutcomes = statement<ReportArguments, ReportedRow>((arg) => {
  const worker = arg.worker('text');
  return sql`
  with entry as materialized (
    select * from unnest(
      ${arg.positions('int[]')}, ${arg.taskIds('bigint[]')},
      ${arg.attempts('int[]')}, ${arg.finals('int[]')}
    ) as entry (position, task_id, attempt, is_final)
  ),
  locked as materialized (
    select entry.position, entry.attempt as reported_attempt, entry.is_final = 1 as final, ${tasks}.*, ${tasks}.xmin as locked_version,
      -- The current holder needs no look at its lease row.
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
  reported as materialized (
    select outcome.*, locked.job_id, ${items.seq}, ${items.key}
    from unnest(
      ${arg.outcomeTaskIds('bigint[]')}, ${arg.itemIds('text[]')}, ${arg.outputs('text[]')},
      ${arg.errors('text[]')}, ${arg.modelIds('int[]')}, ${arg.usages('text[]')},
      ${arg.requestIds('text[]')}
    ) as outcome (task_id, item_id, output, error, model_id, usage, request_id)
    join locked on locked.id = outcome.task_id
    left join ${items} on ${items.itemId} = outcome.item_id and ${isItemOf(sql`locked`)}
  ),
  count_by_task as materialized (
    select task_id, count(*)::int as outcomes, count(seq)::int as known from reported group by task_id
  ),
  checked as materialized (
    select locked.*, coalesce(outcomes - known, 0) as unknown,
      exists (
        select from ${tasks} as seen where seen.id = locked.id and seen.xmin <> locked.locked_version offset 0
      ) as raced,
      case when final and coalesce(known, 0) < item_count then
        item_count - coalesce(known, 0) - (
          select count(*) from ${results}
          where ${results.jobId} = locked.job_id
            and ${results.seq} >= locked.first_seq and ${results.seq} < locked.first_seq + locked.item_count
            and ${results.seq} not in (select reported.seq from reported where reported.task_id = locked.id and reported.seq is not null))
      else 0 end::int as missing
    from locked left join count_by_task on count_by_task.task_id = locked.id
  ),
  accepted as materialized (
    -- The guard is null where it compares with a null.
    select *, coalesce(${guard('item_error', { worker, attempt: sql`checked.reported_attempt` }, sql`checked`)}, false) as records_errors
    from checked
    where not raced and granted and not job_cancelled and unknown = 0 and missing = 0
      and ${guard('report', { attempt: sql`checked.reported_attempt`, recorded: sql`0` }, sql`checked`)}
  ),
  recorded as (
    insert into ${results} (job_id, seq, output, error, task_id, attempt, model_id, usage, request_id)
    select reported.job_id, reported.seq, reported.output, reported.error, reported.task_id, accepted.reported_attempt, reported.model_id, reported.usage,
      reported.request_id
    from reported join accepted on accepted.id = reported.task_id
    where reported.error is null or accepted.records_errors
    order by reported.job_id, reported.seq
    on conflict do nothing
    returning job_id, task_id, error is null as ok, usage
  ),
  dropped as materialized (
    select accepted.id, accepted.position, accepted.job_id, accepted.reported_attempt, reported.item_id, reported.seq, reported.error
    from reported join accepted on accepted.id = reported.task_id
    where reported.error is not null and not accepted.records_errors and not exists (
      select from ${results} where ${results.jobId} = reported.job_id and ${results.seq} = reported.seq offset 0)
  ),
  failed_copy as (
    update ${copies} set ended = 'failed' from dropped
    where ${copies.taskId} = dropped.id and ${copies.attempt} = dropped.reported_attempt and ${copies.workerId} = ${worker}
      and dropped.seq >= ${copies.firstSeq} and dropped.seq < ${copies.endSeq} and ${copies.ended} is null
  ),
  event as (
    insert into ${events} (kind, job_id, task_id, worker_id, attempt, detail)
    select 'stale_item_error', job_id, id, ${worker}, reported_attempt,
      '{"items":' || count(*) || ',"item_id":' || to_json((array_agg(item_id order by seq))[1]) || ',"error":' || (array_agg(error order by seq))[1] || '}'
    from dropped group by position, job_id, id, reported_attempt
    order by position
  ),
  recorded_by_task as (
    select task_id, count(*)::int as recorded, (count(*) filter (where ok))::int as items_ok from recorded group by task_id
  ),
  counted as materialized ( -- a full join, because it can't become a loop over all pairs; every count has its task
    select accepted.*, coalesce(recorded, 0) as recorded, coalesce(items_ok, 0) as items_ok
    from accepted full join recorded_by_task on recorded_by_task.task_id = accepted.id
  ),
  changed as (
    update ${tasks} set ${assignments('report', { worker, attempt: sql`counted.reported_attempt`, recorded: sql`counted.recorded` }, sql`counted`)}
    from counted
    where ${tasks.id} = counted.id
    returning counted.position, counted.status as old_status, ${tasks.jobId}, ${tasks.status} as new_status, counted.items_ok,
      counted.recorded - counted.items_ok as items_error, counted.item_count - counted.outcome_count as missing, counted.recorded
  ),
  task_change as ( -- only real progress: a tally that moves keeps the holder's items from being copied
    select job_id, ${worker} as worker_id, old_status, new_status, 0 as granted, items_ok, items_error,
      case when new_status = 'failed' then missing - recorded else 0 end - case when old_status = 'failed' then missing else 0 end as items_failed
    from changed where recorded > 0 or new_status <> old_status
  ),
  ${addToTallies({ failures: true })},
  ${countMinute(sql`
    select job_id, ${worker} as worker_id, (count(*) filter (where ok))::int as items_ok, (count(*) filter (where not ok))::int as items_error,
      sum(${tokensIn(sql`usage`, 'input_tokens')})::bigint as input_tokens, sum(${tokensIn(sql`usage`, 'output_tokens')})::bigint as output_tokens,
      0 as leases_expired
    from recorded group by job_id`)},
  job_model as (
    insert into ${jobModels} (job_id, model_id)
    select distinct reported.job_id, reported.model_id from reported
    where reported.model_id is not null and reported.task_id in (select id from accepted)
    on conflict do nothing
  ),
  ledger_row as (
    insert into ${ledger} (owner, key, job_id, seq)
    select distinct on (accepted.owner, reported.key) accepted.owner, reported.key, reported.job_id, reported.seq
    from reported join accepted on accepted.id = reported.task_id
    where reported.key is not null and reported.output is not null
    order by accepted.owner, reported.key, reported.seq
    on conflict do nothing
  ),
  unfinished as materialized (
    select job_id, (sum(pending) + sum(leased))::int as tasks from ${jobTallies}
    where job_id in (select job_id from changed where new_status = 'done')
    group by job_id
  )
  select checked.position, checked.raced, checked.status as old_status, changed.new_status, checked.assigned_worker, checked.job_id, checked.attempts,
    checked.granted, exists (select from dropped where dropped.position = checked.position) as errors_dropped, checked.cancelled or checked.job_cancelled as cancelled, checked.unknown, checked.missing,
    unfinished.tasks as unfinished_tasks, ${itemsRecordedElsewhere(sql`checked`)} as recorded_elsewhere
  from checked left join changed on changed.position = checked.position left join unfinished on unfinished.job_id = changed.job_id`;
});
