import { HEARTBEAT_ALIVE_SECONDS } from '@macbatch/core';
import { type SQL, sql } from 'drizzle-orm';
import { assignments, guard } from '../database/rule-sql.ts';
import {
  copies,
  events,
  items,
  jobs,
  jobTallies,
  leases,
  results,
  tasks,
  workers,
} from '../database/schema.ts';

const worker = sql`${sql.placeholder('worker')}::text`;
const until = sql`now() + ${sql.placeholder('leaseMs')}::float8 * interval '1 millisecond'`;

/** Some item of the copy has no outcome yet. */
const unfinished = (copy: SQL, jobId: SQL): SQL => sql`
  (select count(*) from ${results} where ${results.jobId} = ${jobId}
    and ${results.seq} >= ${copy}.first_seq and ${results.seq} < ${copy}.end_seq) < ${copy}.end_seq - ${copy}.first_seq`;

/**
 * The ids of the items of a leased task that were copied and have an outcome: neither the holder nor who has the
 * copy needs to run them any more. `row` names a row with a task's id and job, and the number of the lease.
 *
 * From the copies to the items to the results, and never another way (`offset 0`): a session that has planned this
 * for a small job would join all items of a large one with all its results, for each lease that is renewed.
 */
export const settledElsewhere = (row: SQL): SQL => sql`
  (select array_agg(distinct settled.item_id) from ${copies}
    cross join lateral (
      select ${items.itemId} from ${items}
      where ${items.jobId} = ${row}.job_id and ${items.seq} >= ${copies.firstSeq} and ${items.seq} < ${copies.endSeq}
        and exists (
          select from ${results} where ${results.jobId} = ${items.jobId} and ${results.seq} = ${items.seq} offset 0)
      offset 0
    ) as settled
    where ${copies.taskId} = ${row}.id and ${copies.attempt} = ${row}.reported_attempt)`;

export interface HolderRow {
  readonly worker: string;
  readonly job_type: string;
  readonly model: string;
  readonly unfinished_items: number;
  readonly items_per_second: number | null;
  readonly slots: number | null;
  readonly quiet_seconds: number;
  readonly unheard_seconds: number | null;
}

/** Who holds tasks of these kinds of work, how much of them, and what is known of its pace. */
export const holders = sql`
  with held as materialized (
    select ${tasks.assignedWorker} as worker, ${jobs.jobType}, ${jobs.model},
      sum(${tasks.itemCount} - ${tasks.outcomeCount})::int as unfinished_items, array_agg(distinct ${jobs.id}) as job_ids
    from ${tasks} join ${jobs} on ${jobs.id} = ${tasks.jobId}
    join unnest(${sql.placeholder('jobTypes')}::text[], ${sql.placeholder('models')}::text[]) as kind (job_type, model)
      on kind.job_type = ${jobs.jobType} and kind.model = ${jobs.model}
    where ${tasks.status} = 'leased' and not ${tasks.cancelled}
    group by 1, 2, 3
  )
  select held.worker, held.job_type, held.model, held.unfinished_items,
    (select max(rate.items_per_second) from jsonb_to_recordset(${workers.rates}::jsonb)
      as rate (job_type text, model text, items_per_second float8)
      where rate.job_type = held.job_type and rate.model = held.model) as items_per_second,
    nullif(${workers.concurrency}, 0) as slots,
    extract(epoch from now() - (select max(${jobTallies.lastAt}) from ${jobTallies}
      where ${jobTallies.workerId} = held.worker and ${jobTallies.jobId} = any(held.job_ids)))::float8 as quiet_seconds,
    extract(epoch from now() - ${workers.lastHeartbeatAt})::float8 as unheard_seconds
  from held left join ${workers} on ${workers.id} = held.worker`;

export interface CopyableRow {
  readonly id: string;
}

/**
 * The tasks of a holder that may be copied, held, from the last one leased back; none for a worker that has
 * something in flight itself. Whoever copies from the same task at the same time takes another: what is copied
 * of it already must be read by a later statement than the one that locks it.
 */
export const copyable = sql`
  select ${tasks.id}::text from ${tasks}
  join ${jobs} on ${jobs.id} = ${tasks.jobId}
  join ${leases} on ${leases.taskId} = ${tasks.id} and ${leases.attempt} = ${tasks.attempts}
  where ${guard('copy', { worker })} and ${tasks.assignedWorker} = ${sql.placeholder('holder')}::text
    and ${jobs.jobType} = ${sql.placeholder('jobType')}::text and ${jobs.model} = ${sql.placeholder('model')}::text
    and not exists (select from tasks as own where own.status = 'leased' and own.assigned_worker = ${worker})
    and not exists (
      select from ${copies} as own join tasks as theirs on theirs.id = own.task_id
      where own.worker_id = ${worker} and own.ended is null and own.lease_until > now() and theirs.status <> 'done'
        and ${unfinished(sql`own`, sql`theirs.job_id`)})
  order by ${leases.leasedAt} desc, ${tasks.id} desc
  limit ${sql.placeholder('tasks')}::int
  for no key update of ${tasks} skip locked`;

/** For so long the holder alone has what failed on a copy, and what it runs alone. No longer: it may never end it. */
const LEFT_TO_HOLDER = sql.raw(`interval '1 hour'`);

/**
 * Copies of the last items of these tasks, which are held, that have no outcome and are in no other copy; a row
 * an item, the last one first.
 */
export const grantCopies = sql`
  with free as materialized (
    select ${tasks.id}, ${tasks.attempts}, ${tasks.jobId}, item.seq, item.item_id, item.payload,
      row_number() over (order by wanted.place, item.seq desc) as no
    from unnest(${sql.placeholder('taskIds')}::bigint[]) with ordinality as wanted (task_id, place)
    join ${tasks} on ${tasks.id} = wanted.task_id
    cross join lateral (
      select ${items.seq}, ${items.itemId}, ${items.payload} from ${items}
      where ${items.jobId} = ${tasks.jobId}
        and ${items.seq} >= ${tasks.firstSeq} and ${items.seq} < ${tasks.firstSeq} + ${tasks.itemCount}
        and not exists (
          select from ${results} where ${results.jobId} = ${items.jobId} and ${results.seq} = ${items.seq} offset 0)
        and not exists (
          select from ${copies} where ${copies.taskId} = ${tasks.id} and ${copies.attempt} = ${tasks.attempts}
            and ${items.seq} >= ${copies.firstSeq} and ${items.seq} < ${copies.endSeq}
            and (${copies.ended} is null
              or ${copies.ended} in ('failed', 'suspect') and ${copies.copiedAt} > now() - ${LEFT_TO_HOLDER}))
      offset 0
    ) as item
  ),
  taken as materialized (select * from free where no <= ${sql.placeholder('items')}::int),
  granted as (
    insert into ${copies} as copy (task_id, attempt, worker_id, boot_id, first_seq, end_seq, lease_until)
    select id, attempts, ${worker}, ${sql.placeholder('boot')}::text, min(seq), max(seq) + 1, ${until}
    from taken group by id, attempts
    on conflict (task_id, attempt, worker_id, first_seq) do update
      set boot_id = excluded.boot_id, end_seq = excluded.end_seq, lease_until = excluded.lease_until, ended = null, copied_at = now()
  )
  select taken.id::text, taken.job_id, taken.attempts, ${jobs.jobType}, ${jobs.model}, ${jobs.params}, taken.item_id, taken.payload
  from taken join ${jobs} on ${jobs.id} = taken.job_id
  order by taken.no`;

/** The holder says that it runs these items alone, because their runtime has crashed under them. */
export const markSuspects = sql`
  insert into ${copies} (task_id, attempt, worker_id, boot_id, first_seq, end_seq, lease_until, ended)
  select ${tasks.id}, ${tasks.attempts}, ${worker}, '', ${items.seq}, ${items.seq} + 1, now(), 'suspect'
  from unnest(${sql.placeholder('taskIds')}::bigint[], ${sql.placeholder('attempts')}::int[], ${sql.placeholder('itemIds')}::text[])
    as suspect (task_id, attempt, item_id)
  join ${tasks} on ${tasks.id} = suspect.task_id and ${tasks.attempts} = suspect.attempt
    and ${tasks.status} = 'leased' and ${tasks.assignedWorker} = ${worker}
  join ${items} on ${items.jobId} = ${tasks.jobId} and ${items.itemId} = suspect.item_id
    and ${items.seq} >= ${tasks.firstSeq} and ${items.seq} < ${tasks.firstSeq} + ${tasks.itemCount}
  on conflict do nothing`;

/**
 * Ends copies whose lease has passed. One that left items without an outcome is lost, and counts as a lost lease.
 *
 * The task is held before its copies, as by all that changes a copy: what is held the other way round waits for
 * each other. So a copy that was renewed or handed back meanwhile is seen only as it is closed.
 */
export const expireCopies = sql`
  with due as materialized (
    select * from ${copies} where ${copies.ended} is null and ${copies.leaseUntil} <= now()
    order by ${copies.taskId} limit ${sql.placeholder('limit')}::int
  ),
  task as materialized (
    select ${tasks.id}, ${tasks.jobId}, ${tasks.status}, ${tasks.cancelled} from ${tasks}
    where ${tasks.id} in (select task_id from due) order by ${tasks.id} for no key update skip locked
  ),
  judged as materialized (
    select due.*, task.job_id, task.status in ('pending', 'leased') and not task.cancelled
      and ${unfinished(sql`due`, sql`task.job_id`)} as lost
    from due left join task on task.id = due.task_id
    where task.id is not null or not exists (select from ${tasks} where ${tasks.id} = due.task_id)
  ),
  closed as (
    update ${copies} set ended = case when judged.lost then 'lost' else 'done' end from judged
    where ${copies.taskId} = judged.task_id and ${copies.attempt} = judged.attempt
      and ${copies.workerId} = judged.worker_id and ${copies.firstSeq} = judged.first_seq
      and ${copies.ended} is null and ${copies.leaseUntil} <= now()
    returning judged.*
  ),
  noted as (
    insert into ${events} (kind, job_id, task_id, worker_id, attempt)
    select 'copy_lost', job_id, task_id, worker_id, attempt from closed where lost order by task_id
  ),
  charged as (
    update ${tasks} set ${assignments('lose_copy', {})}
    where ${tasks.id} in (select task_id from closed where lost) and ${guard('lose_copy', {})}
  )
  select (count(*) filter (where lost))::int as lost from closed`;

/** A worker that has missed this much has missed heartbeats. */
export const SILENT_SECONDS = HEARTBEAT_ALIVE_SECONDS * 0.85;
