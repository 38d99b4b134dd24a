import { sql } from 'drizzle-orm';
import { assignments, guard } from '../database/rule-sql.ts';
import { events, jobs, results, tasks } from '../database/schema.ts';
import { tallied } from '../tallies/add-to-tallies.ts';

const reopened = { reopened: sql`held.reopened` };

export interface RetriedRow {
  readonly tasks: number;
  readonly items: number;
}

/** Tasks that a retry may concern: failed ones and, with `items`, those with a recorded item error. */
const candidates = sql`
    select ${tasks.id} from ${tasks} where ${tasks.jobId} = ${sql.placeholder('job')}::uuid and ${tasks.status} = 'failed'
    union
    select ${results.taskId} from ${results}
    where ${sql.placeholder('items')}::bool and ${results.jobId} = ${sql.placeholder('job')}::uuid and ${results.error} is not null
  `;

/**
 * For `retry`, in the same transaction before it: what it withdraws must not be older than these locks, or a
 * report at the same time could be half seen.
 */
export const lockRetriable = sql`
  select ${tasks.id} from ${tasks} where ${tasks.id} in (${candidates}) order by ${tasks.id} for no key update`;

/**
 * T13: a person sends a job's failed tasks back to pending and, with `items`, withdraws recorded item
 * errors so that those items run again. A task that is leased right now is left to its holder. The job is
 * locked first: who writes down that it has ended does so before or after, never in between.
 */
export const retry = sql`
  with job as materialized (
    select ${jobs.id} from ${jobs} where ${jobs.id} = ${sql.placeholder('job')}::uuid and ${jobs.cancelledAt} is null and ${jobs.prunedAt} is null
    for no key update
  ),
  candidate as materialized (${candidates}),
  locked as materialized (
    select ${tasks.id}, ${tasks.jobId}, ${tasks.status}, ${tasks.itemCount} - ${tasks.outcomeCount} as missing from ${tasks}
    where ${tasks.id} in (select id from candidate) and ${tasks.jobId} in (select id from job)
      and ${tasks.status} <> 'leased' and not ${tasks.cancelled}
    order by ${tasks.id}
    for no key update
  ),
  withdrawn as (
    delete from ${results}
    where ${sql.placeholder('items')}::bool and ${results.jobId} = ${sql.placeholder('job')}::uuid and ${results.error} is not null
      and ${results.taskId} in (select id from locked)
    returning ${results.taskId}, ${results.reused}
  ),
  held as (
    select locked.*, coalesce(own, 0) as reopened, coalesce(own + repeated, 0) as withdrawn
    from locked left join (
      select task_id, (count(*) filter (where not reused))::int as own, (count(*) filter (where reused))::int as repeated
      from withdrawn group by task_id
    ) as by_task on by_task.task_id = locked.id
  ),
  changed as (
    update ${tasks} set ${assignments('retry', reopened)}
    from held
    where ${tasks.id} = held.id and ${guard('retry', reopened)}
    returning ${tasks.id}, ${tasks.jobId}, held.status as was, ${tasks.status}, held.withdrawn, held.missing
  ),
  noted as (
    insert into ${events} (kind, job_id, task_id) select 'task_retried', job_id, id from changed order by id
  ),
  reopened_job as (
    update ${jobs} set finished_at = null where ${jobs.id} in (select job_id from changed)
  ),
  moved as (
    select job_id, '' as worker_id, was, status, 0 as granted, 0 as items_ok, -withdrawn as items_error,
      case when was = 'failed' then -missing else 0 end as items_failed
    from changed
  ),
  ${tallied({ blameWorker: false })}
  select count(*)::int as tasks, coalesce(sum(withdrawn), 0)::int as items from changed`;
