import { type SQL, sql } from 'drizzle-orm';
import {
  copies,
  events,
  items,
  jobModels,
  jobs,
  jobTallies,
  leases,
  ledger,
  prunedTallies,
  results,
  tasks,
} from '../database/schema.ts';
import { statement } from '../database/statement.ts';

export type JobArguments = { job: string };
/** `limit`: most rows that one step deletes. */
export type StepArguments = JobArguments & { limit: number };

export interface StepRow {
  /** Rows deleted. */
  readonly rows: number;
  /** The same step may have more to delete. */
  readonly more: boolean;
}

/** A common table expression `marked` with the job's locked row. Prunes at the same time take turns step by step. */
const lockMarkedJob = (job: SQL, columns: SQL): SQL => sql`
  marked as materialized (
    select ${columns} from ${jobs} where ${jobs.id} = ${job} and ${jobs.prunedAt} is not null for no key update
  )`;

/**
 * Deletes tasks with their leases and copies. Tasks go first: reports need the task, so nothing of the job is added
 * after the later steps.
 */
export const pruneTasks = statement<StepArguments, StepRow>(
  (arg) => sql`
  with ${lockMarkedJob(arg.job('uuid'), sql`${jobs.firstTaskId} as first_id, ${jobs.lastTaskId} as last_id`)},
  next as materialized (
    select ${tasks.id}, ${tasks.attempts} from ${tasks}
    where ${tasks.id} >= coalesce((select first_id from marked), 0) and ${tasks.id} <= coalesce((select last_id from marked), 9223372036854775807)
      and ${tasks.jobId} = ${arg.job('uuid')} and exists (select from marked)
    order by ${tasks.id}
    limit ${arg.limit('int')}
  ),
  counted as (
    select id, row_number() over (order by id) as place, sum(1 + attempts) over (order by id) as rows from next
  ),
  deleted as (
    delete from ${tasks}
    where ${tasks.id} = any(array(select id from counted where counted.rows <= ${arg.limit('int')} or counted.place = 1))
    returning ${tasks.id}
  ),
  deleted_leases as (
    delete from ${leases} where ${leases.taskId} = any(array(select id from deleted)) returning ${leases.taskId}
  ),
  deleted_copies as (
    delete from ${copies} where ${copies.taskId} = any(array(select id from deleted))
  ),
  remaining as (
    update ${jobs} set task_count = greatest(0, ${jobs.taskCount} - (select count(*) from deleted)),
      first_task_id = coalesce((select max(id) from deleted), ${jobs.firstTaskId})
    where ${jobs.id} = ${arg.job('uuid')} and exists (select from deleted)
  )
  select ((select count(*) from deleted) + (select count(*) from deleted_leases))::int as rows,
    -- Not by what was deleted: another prune may have deleted these first, and there are more behind them.
    exists (select from next) as more`,
);

/** Deletes up to `limit` items, from the last one back, with their outcomes and the ledger's rows that name these. */
export const pruneItems = statement<StepArguments, StepRow>(
  (arg) => sql`
  with ${lockMarkedJob(arg.job('uuid'), sql`${jobs.owner}, ${jobs.itemCount} - ${arg.limit('int')} as first_seq, ${jobs.itemCount} as next_seq`)},
  deleted as (
    delete from ${items}
    where ${items.jobId} = ${arg.job('uuid')} and ${items.seq} >= (select first_seq from marked) and ${items.seq} < (select next_seq from marked)
    returning ${items.key}
  ),
  deleted_results as (
    delete from ${results}
    where ${results.jobId} = ${arg.job('uuid')} and ${results.seq} >= (select first_seq from marked) and ${results.seq} < (select next_seq from marked)
    returning ${results.seq}
  ),
  deleted_ledger as (
    delete from ${ledger}
    where ${ledger.owner} = (select owner from marked) and ${ledger.key} = any(array(select key from deleted where key is not null))
      and ${ledger.jobId} = ${arg.job('uuid')}
    returning ${ledger.seq}
  ),
  remaining as (
    update ${jobs} set item_count = greatest(0, marked.first_seq) from marked where ${jobs.id} = ${arg.job('uuid')}
  )
  select ((select count(*) from deleted) + (select count(*) from deleted_results) + (select count(*) from deleted_ledger))::int as rows,
    coalesce((select first_seq > 0 from marked), false) as more`,
);

export const pruneEvents = statement<StepArguments, StepRow>(
  (arg) => sql`
  with next as materialized (
    select ${events.id} from ${events} where ${events.jobId} = ${arg.job('uuid')} limit ${arg.limit('int')}
  ),
  deleted as (
    delete from ${events} where ${events.id} = any(array(select id from next)) returning ${events.id}
  )
  select (select count(*) from deleted)::int as rows, exists (select from next) as more`,
);

/** Deletes what is left of a job, and adds its counts to the pruned tallies. */
export const pruneJob = statement<JobArguments, StepRow>(
  (arg) => sql`
  with deleted as (
    delete from ${jobs} where ${jobs.id} = ${arg.job('uuid')} and ${jobs.prunedAt} is not null returning ${jobs.id}
  ),
  deleted_tallies as (
    delete from ${jobTallies} using deleted where ${jobTallies.jobId} = deleted.id returning ${jobTallies}.*
  ),
  kept_tallies as (
    insert into ${prunedTallies} as kept (worker_id, leases_granted, leases_expired, tasks_done, tasks_failed, items_ok)
    select worker_id, leases_granted, leases_expired, tasks_done, tasks_failed, items_ok from deleted_tallies order by worker_id
    on conflict (worker_id) do update set
      leases_granted = kept.leases_granted + excluded.leases_granted,
      leases_expired = kept.leases_expired + excluded.leases_expired,
      tasks_done = kept.tasks_done + excluded.tasks_done,
      tasks_failed = kept.tasks_failed + excluded.tasks_failed,
      items_ok = kept.items_ok + excluded.items_ok
  ),
  deleted_models as (
    delete from ${jobModels} using deleted where ${jobModels.jobId} = deleted.id returning ${jobModels.modelId}
  ),
  deleted_results as ( -- outcomes that were filled in for repeated items during the prune
    delete from ${results} using deleted where ${results.jobId} = deleted.id returning ${results.seq}
  )
  select ((select count(*) from deleted) + (select count(*) from deleted_tallies) + (select count(*) from deleted_models)
    + (select count(*) from deleted_results))::int as rows, false as more`,
);
