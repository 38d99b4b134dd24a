import { sql } from 'drizzle-orm';
import { items, jobs, results, tasks } from '../database/schema.ts';

export interface HoldingRow {
  readonly tasks: number;
  /** Items of these tasks without an outcome. */
  readonly items: number;
}

/** What a worker holds, by the index of leased tasks. */
export const heldBy = sql`
  select count(*)::int as tasks, coalesce(sum(${tasks.itemCount} - ${tasks.outcomeCount}), 0)::int as items
  from ${tasks} where ${tasks.status} = 'leased' and ${tasks.assignedWorker} = ${sql.placeholder('worker')}::text`;

export type GrantedArguments = { worker: string; taskIds: string[]; attempts: number[] };

/** What a worker was granted, as it is now: a row an item that has no outcome yet. */
export const grantedTasks = sql`
  with wanted as materialized (
    select * from unnest(${sql.placeholder('taskIds')}::bigint[], ${sql.placeholder('attempts')}::int[]) as wanted (task_id, attempt)
  )
  select ${tasks.id}::text, ${tasks.jobId}, ${tasks.attempts}, ${jobs.jobType}, ${jobs.model}, ${jobs.params}, item.item_id, item.payload
  from wanted
  join ${tasks} on ${tasks.id} = wanted.task_id and ${tasks.attempts} = wanted.attempt
  join ${jobs} on ${jobs.id} = ${tasks.jobId}
  left join lateral (
    select ${items.seq}, ${items.itemId}, ${items.payload} from ${items}
    where ${items.jobId} = ${tasks.jobId}
      and ${items.seq} >= ${tasks.firstSeq} and ${items.seq} < ${tasks.firstSeq} + ${tasks.itemCount}
      and not exists (
        select from ${results} where ${results.jobId} = ${items.jobId} and ${results.seq} = ${items.seq}
        offset 0)
    offset 0 -- as in the claim: by key, and not as a hash of the whole job
  ) as item on true
  where ${tasks.status} = 'leased' and ${tasks.assignedWorker} = ${sql.placeholder('worker')}::text
  order by ${tasks.id}, item.seq`;
