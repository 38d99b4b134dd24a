import { taskCount } from '@macbatch/core';
import type postgres from 'postgres';
import type { JobDraft } from './job-draft.ts';

/** Cuts all items into tasks of up to `shardSize` items. Returns the number of tasks. */
export async function cutTasks(tx: postgres.Sql, draft: JobDraft, itemCount: number): Promise<number> {
  const tasks = taskCount(itemCount, draft.shardSize);
  await tx`
    insert into tasks (job_id, first_seq, item_count, retry_on)
    select ${draft.id}, shard * ${draft.shardSize}::int, least(${draft.shardSize}::int, ${itemCount}::int - shard * ${draft.shardSize}::int), ${draft.retryOn}
    from generate_series(0, ${tasks - 1}::int) as shard order by shard`;
  return tasks;
}

/**
 * Cuts the items that must run into tasks of up to `shardSize` consecutive items. No task spans an item that does
 * not run. Returns the number of tasks.
 */
export async function cutTasksAroundReused(tx: postgres.Sql, draft: JobDraft): Promise<number> {
  const cut = await tx`
    insert into tasks (job_id, first_seq, item_count, retry_on)
    select ${draft.id}, min(seq), count(*), ${draft.retryOn}
    from (
      select seq, run, (row_number() over (partition by run order by seq) - 1) / ${draft.shardSize}::int as piece
      from (
        select seq, seq - row_number() over (order by seq) as run from items
        where job_id = ${draft.id} and leader_seq is null
          and not exists (select from results where results.job_id = items.job_id and results.seq = items.seq)
      ) as to_run
    ) as pieces
    group by run, piece
    order by min(seq)`;
  return cut.count;
}
