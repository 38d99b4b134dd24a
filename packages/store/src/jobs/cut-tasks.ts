import type postgres from 'postgres';
import type { JobDraft } from './job-draft.ts';

/**
 * Cuts all items into tasks of up to `shardSize` items. A task also begins at each of `starts`. Returns the number of
 * tasks.
 */
export async function cutTasks(
  tx: postgres.Sql,
  draft: JobDraft,
  itemCount: number,
  starts: readonly number[],
): Promise<number> {
  const cut = await tx`
    insert into tasks (job_id, first_seq, item_count, retry_on)
    select ${draft.id}, run.first + shard * ${draft.shardSize}::int,
      least(${draft.shardSize}::int, run.next - run.first - shard * ${draft.shardSize}::int), ${draft.retryOn}
    from (
      select first, lead(first, 1, ${itemCount}::int) over (order by first) as next from unnest(${[...starts]}::int[]) as first
    ) as run
    cross join lateral generate_series(0, (run.next - run.first - 1) / ${draft.shardSize}::int) as shard
    order by run.first, shard`;
  return cut.count;
}

/**
 * Cuts the items that must run into tasks of up to `shardSize` consecutive items. No task spans an item that does
 * not run, or one of `starts`. A task may contain parts of two tasks of `cutTasks`, and so twice their bytes.
 * Returns the number of tasks.
 */
export async function cutTasksAroundReused(
  tx: postgres.Sql,
  draft: JobDraft,
  starts: readonly number[],
): Promise<number> {
  const cut = await tx`
    insert into tasks (job_id, first_seq, item_count, retry_on)
    select ${draft.id}, min(seq), count(*), ${draft.retryOn}
    from (
      select seq, run, part, (row_number() over (partition by run, part order by seq) - 1) / ${draft.shardSize}::int as piece
      from (
        select seq, seq - row_number() over (order by seq) as run, width_bucket(seq, ${[...starts]}::int[]) as part from items
        where job_id = ${draft.id} and leader_seq is null
          and not exists (select from results where results.job_id = items.job_id and results.seq = items.seq)
      ) as to_run
    ) as pieces
    group by run, part, piece
    order by min(seq)`;
  return cut.count;
}
