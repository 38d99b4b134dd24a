import { EXCLUDED_FROM_COPIES_SECONDS, MAX_LEASE_BYTES } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { copies, items, jobs, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import type { TaskItemRow } from '../tasks/leased-tasks.ts';
import { hasOutcome, isItemOf } from '../tasks/task-items.ts';

type InsertCopiesArguments = {
  worker: string;
  boot: string;
  taskIds: readonly string[];
  maxItems: number;
  leaseMs: number;
};

const excludedInterval = sql.raw(`interval '${EXCLUDED_FROM_COPIES_SECONDS} seconds'`);

/**
 * Copies the last items of these locked tasks that have no outcome and no other copy. Returns a row for each item,
 * the last one first.
 */
export const insertCopies = statement<InsertCopiesArguments, TaskItemRow>(
  (arg) => sql`
  with free as materialized (
    select ${tasks.id}, ${tasks.attempts}, ${tasks.jobId}, item.seq, item.item_id, item.payload,
      row_number() over (order by wanted.place, item.seq desc) as place
    from unnest(${arg.taskIds('bigint[]')}) with ordinality as wanted (task_id, place)
    join ${tasks} on ${tasks.id} = wanted.task_id
    cross join lateral (
      select ${items.seq}, ${items.itemId}, ${items.payload} from ${items}
      where ${isItemOf(sql`${tasks}`)}
        and not ${hasOutcome}
        and not exists (
          select from ${copies} where ${copies.taskId} = ${tasks.id} and ${copies.attempt} = ${tasks.attempts}
            and ${items.seq} >= ${copies.firstSeq} and ${items.seq} < ${copies.endSeq}
            and (${copies.ended} is null
              or ${copies.ended} in ('failed', 'suspect') and ${copies.copiedAt} > now() - ${excludedInterval}))
      offset 0
    ) as item
  ),
  taken as materialized (
    select * from (
      select free.*, sum(octet_length(payload)) over (order by place) as bytes from free where place <= ${arg.maxItems('int')}
    ) as wanted
    where place = 1 or bytes <= ${sql.raw(String(MAX_LEASE_BYTES))}
  ),
  inserted as (
    insert into ${copies} as copy (task_id, attempt, worker_id, boot_id, first_seq, end_seq, lease_until)
    select id, attempts, ${arg.worker('text')}, ${arg.boot('text')}, min(seq), max(seq) + 1,
      now() + ${arg.leaseMs('float8')} * interval '1 millisecond'
    from taken group by id, attempts
    on conflict (task_id, attempt, worker_id, first_seq) do update
      set boot_id = excluded.boot_id, end_seq = excluded.end_seq, lease_until = excluded.lease_until, ended = null, copied_at = now()
  )
  select taken.id::text, taken.job_id, taken.attempts, ${jobs.jobType}, ${jobs.model}, ${jobs.params}, taken.item_id, taken.payload
  from taken join ${jobs} on ${jobs.id} = taken.job_id
  order by taken.place`,
);
