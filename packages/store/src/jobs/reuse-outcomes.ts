import { sql } from 'drizzle-orm';
import type postgres from 'postgres';
import { avoidNestedLoops } from '../database/avoid-nested-loops.ts';
import { items, jobModels, ledger, results } from '../database/schema.ts';
import { statement } from '../database/statement.ts';

type CountRow = { readonly count: number };

export interface Reuse {
  /** Items that took their outcome from the ledger. */
  readonly reused: number;
  /** Items that repeat another item of the job. */
  readonly repeated: number;
}

/**
 * Gives items the outcomes that the ledger has for their keys. `offset 0` makes the subquery a lookup by primary key
 * for each item: without statistics of the job or its owner, Postgres could scan the items for each row of the ledger.
 */
const insertReused = statement<{ job: string; owner: string }, CountRow>(
  (arg) => sql`
  with inserted as (
    insert into ${results} (job_id, seq, output, task_id, attempt, model_id, usage, request_id, recorded_at, reused)
    select ${items.jobId}, ${items.seq}, earlier.output, earlier.task_id, earlier.attempt, earlier.model_id, earlier.usage, earlier.request_id, earlier.recorded_at, true
    from ${items}
    cross join lateral (
      select ${results}.* from ${ledger}
      join ${results} on ${results.jobId} = ${ledger.jobId} and ${results.seq} = ${ledger.seq} and ${results.output} is not null
      where ${ledger.owner} = ${arg.owner('text')} and ${ledger.key} = ${items.key}
      offset 0
    ) as earlier
    where ${items.jobId} = ${arg.job('uuid')} and ${items.key} is not null
    returning 1
  )
  select count(*)::int as count from inserted`,
);

const insertReusedModels = statement<{ job: string }, never>(
  (arg) => sql`
  insert into ${jobModels} (job_id, model_id)
  select distinct ${results.jobId}, ${results.modelId} from ${results}
  where ${results.jobId} = ${arg.job('uuid')} and ${results.modelId} is not null`,
);

/** Marks items that have no outcome and repeat the key of an earlier item of the job. */
const markRepeated = statement<{ job: string }, CountRow>(
  (arg) => sql`
  with leader as (
    select ${items.key}, min(${items.seq}) as seq from ${items}
    where ${items.jobId} = ${arg.job('uuid')} and ${items.key} is not null group by ${items.key} having count(*) > 1
  ),
  marked as (
    update ${items} set leader_seq = leader.seq from leader
    where ${items.jobId} = ${arg.job('uuid')} and ${items.key} = leader.key and ${items.seq} > leader.seq
      and not exists (select from ${results} where ${results.jobId} = ${items.jobId} and ${results.seq} = ${items.seq})
    returning 1
  )
  select count(*)::int as count from marked`,
);

/**
 * I2: gives items whose idempotency key is in the ledger the outcome that it names, and marks items that repeat an
 * earlier item of the job. Neither runs. Errors are never reused. The rest of the transaction avoids nested loops.
 */
export async function reuseOutcomes(tx: postgres.Sql, job: string, owner: string): Promise<Reuse> {
  const [{ count: reused }, , { count: repeated }] = await Promise.all([
    insertReused.one(tx, { job, owner }),
    avoidNestedLoops(tx),
    markRepeated.one(tx, { job }),
  ]);
  if (reused > 0) await insertReusedModels.run(tx, { job });
  return { reused, repeated };
}
