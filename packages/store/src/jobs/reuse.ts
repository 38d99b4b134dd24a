import type postgres from 'postgres';

export interface Reuse {
  /** Items that have their outcome already, from the ledger. */
  readonly reused: number;
  /** Items that repeat another of the job. */
  readonly repeated: number;
}

/**
 * Gives items whose key is in the ledger the outcome that was paid for, and marks those that repeat an
 * earlier item of the job: neither will be run. Errors are never reused.
 */
export async function reuseOutcomes(tx: postgres.Sql, jobId: string): Promise<Reuse> {
  const [reused, repeated] = await Promise.all([
    tx`
    insert into results (job_id, seq, output, task_id, attempt, model_id, usage, recorded_at, reused)
    select items.job_id, items.seq, paid.output, paid.task_id, paid.attempt, paid.model_id, paid.usage, paid.recorded_at, true
    from items
    join jobs on jobs.id = items.job_id
    join ledger on ledger.owner = jobs.owner and ledger.key = items.key
    join results as paid on paid.job_id = ledger.job_id and paid.seq = ledger.seq and paid.output is not null
    where items.job_id = ${jobId}`,
    tx`
    update items set leader_seq = leader.seq
    from (
      select key, min(seq) as seq from items where job_id = ${jobId} and key is not null group by key having count(*) > 1
    ) as leader
    where items.job_id = ${jobId} and items.key = leader.key and items.seq > leader.seq
      and not exists (select from results where results.job_id = items.job_id and results.seq = items.seq)`,
  ]);
  if (reused.count > 0) {
    await tx`
      insert into job_models (job_id, model_id)
      select distinct job_id, model_id from results where job_id = ${jobId} and model_id is not null`;
  }
  return { reused: reused.count, repeated: repeated.count };
}

/**
 * Cuts the items that are to be run into tasks of up to `shardSize` consecutive items: a range never spans
 * an item that is not run. Returns the number of tasks.
 */
export async function cutAroundReused(
  tx: postgres.Sql,
  job: { readonly id: string; readonly shardSize: number; readonly retryOn: string },
): Promise<number> {
  const cut = await tx`
    insert into tasks (job_id, first_seq, item_count, retry_on)
    select ${job.id}, min(seq), count(*), ${job.retryOn}
    from (
      select seq, run, (row_number() over (partition by run order by seq) - 1) / ${job.shardSize}::int as piece
      from (
        select seq, seq - row_number() over (order by seq) as run from items
        where job_id = ${job.id} and leader_seq is null
          and not exists (select from results where results.job_id = items.job_id and results.seq = items.seq)
      ) as to_run
    ) as pieces
    group by run, piece
    order by min(seq)`;
  return cut.count;
}
