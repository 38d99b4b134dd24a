import { type SQL, sql } from 'drizzle-orm';
import {
  copies,
  events,
  items,
  jobModels,
  jobs,
  jobTallies,
  leases,
  ledger,
  prunedTallies,
  results,
  tasks,
} from '../database/schema.ts';

const job = sql`${sql.placeholder('job')}::uuid`;
const limit = sql`${sql.placeholder('limit')}::int`;

/** Jobs that have ended longer ago than a time, and are nobody's to read any more or may become so. */
const ended = sql`coalesce(${jobs.finishedAt}, ${jobs.cancelledAt}) < now() - make_interval(secs => ${sql.placeholder('seconds')}::float8)`;

export interface PrunableRow {
  readonly jobs: number;
  readonly items: number;
  readonly tasks: number;
  readonly payload_bytes: number;
}

/** How much a prune has to delete, with what an interrupted one has left. */
export const prunable = sql`
  select count(*)::int as jobs, coalesce(sum(${jobs.itemCount}), 0)::float8 as items,
    coalesce(sum(${jobs.taskCount}), 0)::float8 as tasks, coalesce(sum(${jobs.payloadBytes}), 0)::float8 as payload_bytes
  from ${jobs} where ${jobs.prunedAt} is not null or ${ended}`;

/** A job that a prune has begun to delete, if no other prune is at it. */
export const markedJob = sql`
  select ${jobs.id}::text from ${jobs} where ${jobs.prunedAt} is not null order by ${jobs.id} limit 1 for no key update skip locked`;

/**
 * Marks the oldest job that has ended long enough ago: from here on nobody reads it, retries it or finds it
 * by its idempotency key. One that is held for such a reader is left for later.
 */
export const markJob = sql`
  update ${jobs} set pruned_at = now(), idempotency_key = null
  where ${jobs.id} = (
    select ${jobs.id} from ${jobs} where ${jobs.prunedAt} is null and ${ended} order by ${jobs.id} limit 1 for update skip locked
  )
  returning ${jobs.id}::text`;

/** The job's row, held: prunes at the same time take turns, one step after the other. */
const held = (columns: SQL): SQL => sql`
  held as materialized (
    select ${columns} from ${jobs} where ${jobs.id} = ${job} and ${jobs.prunedAt} is not null for no key update
  )`;

export interface StepRow {
  /** Rows deleted. */
  readonly rows: number;
  /** Whether there may be more for the same step. */
  readonly more: boolean;
}

/**
 * Deletes tasks with their leases, up to `limit` rows. They go before all else: without its task no report is
 * taken, so nothing of the job comes back behind the next steps.
 */
export const pruneTasks = sql`
  with ${held(sql`${jobs.firstTaskId} as first_id, ${jobs.lastTaskId} as last_id`)},
  next as materialized (
    select ${tasks.id}, ${tasks.attempts} from ${tasks}
    where ${tasks.id} >= coalesce((select first_id from held), 0) and ${tasks.id} <= coalesce((select last_id from held), 9223372036854775807)
      and ${tasks.jobId} = ${job} and exists (select from held)
    order by ${tasks.id}
    limit ${limit}
  ),
  counted as (
    select id, row_number() over (order by id) as place, sum(1 + attempts) over (order by id) as rows from next
  ),
  gone as (
    delete from ${tasks} using counted where ${tasks.id} = counted.id and (counted.rows <= ${limit} or counted.place = 1)
    returning ${tasks.id}
  ),
  gone_leases as (
    delete from ${leases} using gone where ${leases.taskId} = gone.id returning ${leases.taskId}
  ),
  gone_copies as (
    delete from ${copies} using gone where ${copies.taskId} = gone.id
  ),
  told as (
    update ${jobs} set task_count = greatest(0, ${jobs.taskCount} - (select count(*) from gone)),
      first_task_id = coalesce((select max(id) from gone), ${jobs.firstTaskId})
    where ${jobs.id} = ${job} and exists (select from gone)
  )
  select ((select count(*) from gone) + (select count(*) from gone_leases))::int as rows,
    -- Not what was deleted: another prune may have been faster with these, and there are others behind them.
    exists (select from next) as more`;

/** Deletes up to `limit` items, from the last one on, with their outcomes and the ledger's rows that point to these. */
export const pruneItems = sql`
  with ${held(sql`${jobs.owner}, ${jobs.itemCount} - ${limit} as first_seq, ${jobs.itemCount} as next_seq`)},
  gone as (
    delete from ${items} using held
    where ${items.jobId} = ${job} and ${items.seq} >= held.first_seq and ${items.seq} < held.next_seq
    returning ${items.key}
  ),
  gone_results as (
    delete from ${results} using held
    where ${results.jobId} = ${job} and ${results.seq} >= held.first_seq and ${results.seq} < held.next_seq
    returning ${results.seq}
  ),
  gone_paid as (
    delete from ${ledger} using held, (select distinct key from gone where key is not null) as keyed
    where ${ledger.owner} = held.owner and ${ledger.key} = keyed.key and ${ledger.jobId} = ${job}
    returning ${ledger.seq}
  ),
  told as (
    update ${jobs} set item_count = greatest(0, held.first_seq) from held where ${jobs.id} = ${job}
  )
  select ((select count(*) from gone) + (select count(*) from gone_results) + (select count(*) from gone_paid))::int as rows,
    coalesce((select first_seq > 0 from held), false) as more`;

export const pruneEvents = sql`
  with next as materialized (
    select ${events.id} from ${events} where ${events.jobId} = ${job} limit ${limit}
  ),
  gone as (
    delete from ${events} where ${events.id} = any(array(select id from next)) returning ${events.id}
  )
  select (select count(*) from gone)::int as rows, exists (select from next) as more`;

/** Deletes what is left of a job, and keeps what its tallies counted. */
export const pruneJob = sql`
  with gone as (
    delete from ${jobs} where ${jobs.id} = ${job} and ${jobs.prunedAt} is not null returning ${jobs.id}
  ),
  gone_tallies as (
    delete from ${jobTallies} using gone where ${jobTallies.jobId} = gone.id returning ${jobTallies}.*
  ),
  kept as (
    insert into ${prunedTallies} as kept (worker_id, leases_granted, leases_expired, tasks_done, tasks_failed, items_ok)
    select worker_id, leases_granted, leases_expired, tasks_done, tasks_failed, items_ok from gone_tallies order by worker_id
    on conflict (worker_id) do update set
      leases_granted = kept.leases_granted + excluded.leases_granted,
      leases_expired = kept.leases_expired + excluded.leases_expired,
      tasks_done = kept.tasks_done + excluded.tasks_done,
      tasks_failed = kept.tasks_failed + excluded.tasks_failed,
      items_ok = kept.items_ok + excluded.items_ok
  ),
  gone_models as (
    delete from ${jobModels} using gone where ${jobModels.jobId} = gone.id returning ${jobModels.modelId}
  ),
  gone_results as ( -- what was filled in for repeated items at the last moment
    delete from ${results} using gone where ${results.jobId} = gone.id returning ${results.seq}
  )
  select ((select count(*) from gone) + (select count(*) from gone_tallies) + (select count(*) from gone_models)
    + (select count(*) from gone_results))::int as rows, false as more`;
