import type postgres from 'postgres';

export interface Reuse {
  /** Items that took their outcome from the ledger. */
  readonly reused: number;
  /** Items that repeat another item of the job. */
  readonly repeated: number;
}

/**
 * I2: gives items whose idempotency key is in the ledger the outcome that it names, and marks items that repeat an
 * earlier item of the job. Neither runs. Errors are never reused.
 */
export async function reuseOutcomes(tx: postgres.Sql, jobId: string): Promise<Reuse> {
  const [reused, repeated] = await Promise.all([
    tx`
    insert into results (job_id, seq, output, task_id, attempt, model_id, usage, recorded_at, reused)
    select items.job_id, items.seq, earlier.output, earlier.task_id, earlier.attempt, earlier.model_id, earlier.usage, earlier.recorded_at, true
    from items
    join jobs on jobs.id = items.job_id
    join ledger on ledger.owner = jobs.owner and ledger.key = items.key
    join results as earlier on earlier.job_id = ledger.job_id and earlier.seq = ledger.seq and earlier.output is not null
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
