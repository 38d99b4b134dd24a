import type postgres from 'postgres';
import { uuidv7 } from 'uuidv7';
import { OUTPUT, PAYLOAD } from './product-load.ts';

export interface FinishedJobSize {
  readonly items: number;
  readonly shardSize: number;
  /** One task in this many has failed. 0 means none. */
  readonly failedEvery: number;
}

/** Writes an ended job directly into the tables, because reporting millions of outcomes takes too long. */
export async function finishedJob(sql: postgres.Sql, size: FinishedJobSize): Promise<string> {
  const id = uuidv7();
  const { items, shardSize, failedEvery } = size;
  const tasks = Math.ceil(items / shardSize);
  const failed = failedEvery === 0 ? 0 : Math.floor(tasks / failedEvery);
  await sql`
    insert into jobs (id, job_type, model, params, shard_size, retry_on, item_count, task_count, body_digest, finished_at)
    values (${id}, 'noop', 'noop', '{}', ${shardSize}, 'attempts', ${items}, ${tasks}, '', now())`;
  await sql`
    insert into items (job_id, seq, item_id, payload)
    select ${id}::uuid, seq, 'item-' || seq, ${PAYLOAD}::text from generate_series(0, ${items - 1}::int) as seq`;
  const failure = '{"code":"broken","message":"it broke"}';
  await sql`
    insert into tasks (job_id, first_seq, item_count, outcome_count, status, attempts, errors, retry_on, assigned_worker, error)
    select ${id}::uuid, n * ${shardSize}::int, ${shardSize}::int, case when failed then 0 else ${shardSize}::int end,
      case when failed then 'failed' else 'done' end, case when failed then 3 else 1 end, case when failed then 3 else 0 end,
      'attempts', case when failed then null else 'bench' end, case when failed then ${failure}::text end
    from (select n, ${failed}::int > 0 and n % ${Math.max(failedEvery, 1)}::int = ${Math.max(failedEvery, 1) - 1}::int as failed
      from generate_series(0, ${tasks - 1}::int) as n) as shard
    order by n`;
  await sql`
    insert into leases (task_id, attempt, worker_id, boot_id) select id, attempts, 'bench', 'bench' from tasks where job_id = ${id}`;
  await sql`
    insert into results (job_id, seq, output, task_id, attempt)
    select ${id}::uuid, seq, ${OUTPUT}::text, tasks.id, 1
    from tasks cross join lateral generate_series(first_seq, first_seq + item_count - 1) as seq
    where job_id = ${id} and status = 'done' order by seq`;
  if (failed > 0) {
    await sql`
      insert into events (kind, job_id, task_id, worker_id, attempt)
      select 'lease_expired', job_id, id, 'bench', 1 from tasks where job_id = ${id} and status = 'failed'`;
  }
  await sql`
    insert into job_tallies (job_id, worker_id, done, failed, leases_granted, tasks_done, tasks_failed, items_ok, items_failed, leases_expired)
    select ${id}::uuid, 'bench', count(*) filter (where status = 'done'), count(*) filter (where status = 'failed'),
      sum(attempts), count(*) filter (where status = 'done'), count(*) filter (where status = 'failed'), sum(outcome_count),
      coalesce(sum(item_count - outcome_count) filter (where status = 'failed'), 0), count(*) filter (where status = 'failed')
    from tasks where job_id = ${id}`;
  await sql`vacuum analyze`;
  return id;
}
