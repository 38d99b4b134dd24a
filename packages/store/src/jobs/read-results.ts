import { sql } from 'drizzle-orm';
import { items, leases, models, results, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';

export type ResultPageArguments = { job: string; after: number; limit: number };

export interface ResultRow {
  readonly seq: number;
  readonly item_id: string;
  readonly output: string | null;
  readonly error: string | null;
  readonly model: string | null;
  readonly model_digest: string | null;
  readonly worker_id: string | null;
  readonly attempt: number | null;
  readonly leased_at: Date | null;
  readonly usage: string | null;
  readonly request_id: string | null;
  readonly recorded_at: Date | null;
  readonly reused: boolean;
}

/**
 * Reads the outcomes of `limit` items behind `after`, in the order of submission. Keyset pages hold no snapshot
 * while a slow client reads. Items of a failed task that have no outcome get the task's error, and the attempt and
 * worker of its last lease. No row is stored for those, so that a late outcome can still be recorded.
 */
export const readResults = statement<ResultPageArguments, ResultRow>((arg) => {
  const after = () => arg.after('int');
  const end = () => sql`${arg.after('int')} + ${arg.limit('int')}`;
  return sql`
  with page as materialized (
    select ${items.seq}, ${items.itemId}, coalesce(${items.leaderSeq}, ${items.seq}) as run_seq, ${results.reused}, ${results.output}, ${results.error}, ${results.taskId}, ${results.attempt},
      ${results.modelId}, ${results.usage}, ${results.requestId}, ${results.recordedAt}
    from ${items}
    left join ${results} on ${results.jobId} = ${items.jobId} and ${results.seq} = ${items.seq}
      -- Repeated for results: the planner does not carry a range over a join, and would read all results.
      and ${results.seq} > ${after()} and ${results.seq} <= ${end()}
    where ${items.jobId} = ${arg.job('uuid')} and ${items.seq} > ${after()} and ${items.seq} <= ${end()}
  ),
  ended_items as materialized (
    select page.seq, page.item_id, page.output, coalesce(page.error, failed.error) as error, page.reused, page.model_id, page.usage, page.request_id, page.recorded_at,
      coalesce(page.task_id, failed.id) as task_id, coalesce(page.attempt, failed.attempts) as attempt
    from page
    -- The one failed task that can contain the item, found by its first item: a job can have very many.
    left join lateral (
      select id, attempts, error, first_seq + item_count as next_seq from ${tasks}
      where page.output is null and page.error is null and ${tasks.jobId} = ${arg.job('uuid')} and ${tasks.status} = 'failed'
        and ${tasks.firstSeq} <= page.run_seq
      order by ${tasks.firstSeq} desc
      limit 1
    ) as failed on page.run_seq < failed.next_seq
    where page.output is not null or page.error is not null or failed.error is not null
  ),
  ran_by as materialized ( -- a page has far fewer leases than items
    select ran.task_id, ran.attempt, lease.worker_id, lease.leased_at
    from (select distinct task_id, attempt from ended_items where task_id is not null) as ran
    cross join lateral (
      select ${leases.workerId}, ${leases.leasedAt} from ${leases} where ${leases.taskId} = ran.task_id and ${leases.attempt} = ran.attempt
      offset 0 -- looked up by key: without this all leases may be read into a hash
    ) as lease
  )
  select ended.seq, ended.item_id, ended.output, ended.error, ${models.name} as model, ${models.digest} as model_digest,
    ran_by.worker_id, ran_by.leased_at, ended.attempt, ended.usage, ended.request_id, ended.recorded_at, coalesce(ended.reused, false) as reused
  from ended_items as ended
  left join ran_by on ran_by.task_id = ended.task_id and ran_by.attempt = ended.attempt
  left join ${models} on ${models.id} = ended.model_id
  order by ended.seq`;
});
