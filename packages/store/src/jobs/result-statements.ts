import { sql } from 'drizzle-orm';
import { items, jobs, leases, models, results, tasks } from '../database/schema.ts';

export interface ResultRow {
  readonly seq: number;
  readonly item_id: string;
  readonly output: string | null;
  readonly error: string | null;
  readonly model: string | null;
  readonly model_digest: string | null;
  readonly worker_id: string | null;
  readonly attempt: number | null;
  readonly usage: string | null;
  readonly recorded_at: Date | null;
  readonly reused: boolean;
}

/**
 * A page of outcomes in the order of submission, from `after` on: keyset pages hold no snapshot while a
 * slow reader takes its time. Items of a failed task that have no outcome of their own get the task's
 * error; no row stands for it, so that a late success still finds room.
 */
export const readResults = sql`
  with page as materialized (
    select ${items.seq}, ${items.itemId}, coalesce(${items.leaderSeq}, ${items.seq}) as run_seq, ${results.reused}, ${results.output}, ${results.error}, ${results.taskId}, ${results.attempt},
      ${results.modelId}, ${results.usage}, ${results.recordedAt}
    from ${items}
    left join ${results} on ${results.jobId} = ${items.jobId} and ${results.seq} = ${items.seq}
      -- Said again: the planner does not carry a range over from one side to the other, and would read all results.
      and ${results.seq} > ${sql.placeholder('after')}::int and ${results.seq} <= ${sql.placeholder('after')}::int + ${sql.placeholder('limit')}::int
    where ${items.jobId} = ${sql.placeholder('job')}::uuid and ${items.seq} > ${sql.placeholder('after')}::int
      and ${items.seq} <= ${sql.placeholder('after')}::int + ${sql.placeholder('limit')}::int
  ),
  ran_by as materialized ( -- a page has far fewer leases than items
    select ran.task_id, ran.attempt, lease.worker_id
    from (select distinct task_id, attempt from page where task_id is not null) as ran
    cross join lateral (
      select ${leases.workerId} from ${leases} where ${leases.taskId} = ran.task_id and ${leases.attempt} = ran.attempt
      offset 0 -- looked up by key: without this all leases may be read into a hash
    ) as lease
  )
  select page.seq, page.item_id, page.output, coalesce(page.error, failed.error) as error, ${models.name} as model, ${models.digest} as model_digest,
    ran_by.worker_id, page.attempt, page.usage, page.recorded_at,
    coalesce(page.reused, false) as reused
  from page
  -- The one failed task that may hold the item, found by its first place: a job can have very many.
  left join lateral (
    select error, first_seq + item_count as next_seq from ${tasks}
    where page.task_id is null and ${tasks.jobId} = ${sql.placeholder('job')}::uuid and ${tasks.status} = 'failed'
      and ${tasks.firstSeq} <= page.run_seq
    order by ${tasks.firstSeq} desc
    limit 1
  ) as failed on page.run_seq < failed.next_seq
  left join ran_by on ran_by.task_id = page.task_id and ran_by.attempt = page.attempt
  left join ${models} on ${models.id} = page.model_id
  where page.output is not null or page.error is not null or failed.error is not null
  order by page.seq`;

/** Where one item stands in its job. */
export const findItem = sql`
  select ${items.seq} from ${items}
  where ${items.jobId} = ${sql.placeholder('job')}::uuid and ${items.itemId} = ${sql.placeholder('item')}::text`;

/** A row where the job is there and nobody has begun to prune it. */
export const keptJob = sql`
  select from ${jobs} where ${jobs.id} = ${sql.placeholder('job')}::uuid and ${jobs.prunedAt} is null`;
