import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import type { Placeholders } from '../database/arguments.ts';
import { avoidNestedLoops } from '../database/avoid-nested-loops.ts';
import { retryOnConflict } from '../database/retry-on-conflict.ts';
import { assignments, guard } from '../database/rule-sql.ts';
import { events, jobs, results, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { addToTallies } from '../tasks/tallies.ts';
import { selectFailures } from './group-failures.ts';

/** `items`: recorded item errors are withdrawn too. */
type RetryArguments = {
  job: string;
  items: boolean;
  /** Only these item errors, and these failed tasks. Null: all. */
  seqs: readonly number[] | null;
  tasks: readonly string[] | null;
};

export interface RetriedRow {
  readonly tasks: number;
  readonly items: number;
}

/** The tasks that a retry can change: failed ones and, with `items`, tasks with a recorded item error. */
const candidates = (arg: Placeholders<RetryArguments>) => sql`
    select ${tasks.id} from ${tasks} where ${tasks.jobId} = ${arg.job('uuid')} and ${tasks.status} = 'failed'
      and (${arg.tasks('bigint[]')} is null or ${tasks.id} = any(${arg.tasks('bigint[]')}))
    union
    select ${results.taskId} from ${results}
    where ${arg.items('bool')} and ${results.jobId} = ${arg.job('uuid')} and ${results.error} is not null
      and (${arg.seqs('int[]')} is null or ${results.seq} = any(${arg.seqs('int[]')}))
  `;

/**
 * Runs before `retryTasks` in the same transaction: what that withdraws must not be older than these locks, or it
 * could see half of a report at the same time.
 */
const lockCandidates = statement<RetryArguments, unknown>(
  (arg) => sql`
  select ${tasks.id} from ${tasks} where ${tasks.id} = any(array(${candidates(arg)})) order by ${tasks.id} for no key update`,
);

/**
 * Sends failed tasks back to pending and, with `items`, withdraws recorded item errors so that those items run
 * again. A leased task stays with its holder. The job is locked first, so that its end is recorded before or after.
 */
export const retryTasks = statement<RetryArguments, RetriedRow>((arg) => {
  const reopened = { reopened: sql`retriable.reopened` };
  return sql`
  with job as materialized (
    select ${jobs.id} from ${jobs} where ${jobs.id} = ${arg.job('uuid')} and ${jobs.cancelledAt} is null and ${jobs.prunedAt} is null
    for no key update
  ),
  candidate as materialized (${candidates(arg)}),
  locked as materialized (
    select ${tasks.id}, ${tasks.jobId}, ${tasks.status}, ${tasks.itemCount} - ${tasks.outcomeCount} as missing from ${tasks}
    where ${tasks.id} = any(array(select id from candidate)) and exists (select from job)
      and ${tasks.status} <> 'leased' and not ${tasks.cancelled}
    order by ${tasks.id}
    for no key update
  ),
  withdrawn as (
    delete from ${results}
    where ${arg.items('bool')} and ${results.jobId} = ${arg.job('uuid')} and ${results.error} is not null
      and (${arg.seqs('int[]')} is null or ${results.seq} = any(${arg.seqs('int[]')}))
      and ${results.taskId} in (select id from locked)
    returning ${results.taskId}, ${results.reused}
  ),
  retriable as (
    select locked.*, coalesce(own, 0) as reopened, coalesce(own + repeated, 0) as withdrawn
    from locked left join (
      select task_id, (count(*) filter (where not reused))::int as own, (count(*) filter (where reused))::int as repeated
      from withdrawn group by task_id
    ) as by_task on by_task.task_id = locked.id
  ),
  changed as (
    update ${tasks} set ${assignments('retry', reopened)}
    from retriable
    where ${tasks.id} = retriable.id and ${tasks.id} = any(array(select id from retriable)) and ${guard('retry', reopened)}
    returning ${tasks.id}, ${tasks.jobId}, retriable.status as old_status, ${tasks.status} as new_status,
      retriable.withdrawn, retriable.missing
  ),
  event as (
    insert into ${events} (kind, job_id, task_id) select 'task_retried', job_id, id from changed order by id
  ),
  reopened_job as (
    update ${jobs} set finished_at = null where ${jobs.id} = ${arg.job('uuid')} and exists (select from changed)
  ),
  task_change as (
    select job_id, '' as worker_id, old_status, new_status, 0 as granted, 0 as items_ok, -withdrawn as items_error,
      case when old_status = 'failed' then -missing else 0 end as items_failed
    from changed
  ),
  ${addToTallies()}
  select count(*)::int as tasks, coalesce(sum(withdrawn), 0)::int as items from changed`;
});

/** What a retry sends back. */
export interface RetryScope {
  /** Recorded item errors too, and not only failed tasks. */
  readonly items: boolean;
  /** Only failures of the group with this id: its item errors and its failed tasks. */
  readonly failure?: string | undefined;
}

/** T13: sends a job's failed tasks and, with `items`, its recorded item errors back to pending. */
export async function retryJob(
  connections: ConnectionPools,
  id: string,
  { items, failure }: RetryScope,
): Promise<RetriedRow> {
  const only = failure === undefined ? null : await selectFailures(connections, id, failure);
  const args = {
    job: id,
    items: items || only !== null,
    seqs: only?.seqs ?? null,
    tasks: only?.taskIds ?? null,
  };
  return retryOnConflict(() =>
    connections.long.transaction(async (tx) => {
      await avoidNestedLoops(tx);
      await lockCandidates.run(tx, args);
      return retryTasks.one(tx, args);
    }),
  );
}
