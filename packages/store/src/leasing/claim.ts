import { sql } from 'drizzle-orm';
import { assignments, guard } from '../database/rule-sql.ts';
import { items, jobs, jobTallies, leases, results, tasks } from '../database/schema.ts';
import { tallied } from '../tallies/add-to-tallies.ts';

const lease = {
  worker: sql`${sql.placeholder('worker')}::text`,
  leaseMs: sql`${sql.placeholder('leaseMs')}::float8`,
};

/** An item of a task that a worker is given. */
export interface GivenRow {
  readonly id: string;
  readonly job_id: string;
  readonly attempts: number;
  readonly job_type: string;
  readonly model: string;
  readonly params: string;
  readonly item_id: string | null;
  readonly payload: string | null;
}

export interface ClaimedRow extends GivenRow {
  /** Items of the task without an outcome, by its row as it was locked. */
  readonly missing: number;
}

/**
 * T2, T4: takes up to `limit` pending tasks of these jobs, in their order, and grants the worker a numbered
 * lease on each; a row an item that has no outcome yet.
 *
 * The ids are taken in an array, which Postgres evaluates once: in a bare `IN (SELECT … LIMIT n)` the
 * subselect may run again and claim more than n. It locks the rows that the guard accepts, so the update needs
 * no guard of its own; with one the planner would look the ids up among all pending tasks and not by their
 * key. `floors` are ids below which a job is known to have
 * nothing pending, so that entries that an old snapshot keeps dead in the index are not walked again.
 *
 * An outcome that was recorded just before a task was locked is not in this statement's snapshot, and its item is
 * among the rows all the same; then there are more of them than `missing` says.
 *
 * A job of which the worker has more errors than `errorsAtMost` is left out: what it may be given has to be
 * judged anew. So is, while others can have it, a task that the worker itself gave up with an error.
 */
export const claim = sql`
  with open_jobs as materialized (
    select ${jobs.id}, wanted.floor, wanted.left_to_others_ms, wanted.place
    from unnest(${sql.placeholder('jobs')}::uuid[], ${sql.placeholder('floors')}::bigint[], ${sql.placeholder('errorsAtMost')}::int[],
      ${sql.placeholder('leftToOthersMs')}::int[])
      with ordinality as wanted (job_id, floor, errors_at_most, left_to_others_ms, place)
    join ${jobs} on ${jobs.id} = wanted.job_id
    where ${jobs.finishedAt} is null and ${jobs.cancelledAt} is null
      and not exists (
        select from ${jobTallies}
        where ${jobTallies.jobId} = wanted.job_id and ${jobTallies.workerId} = ${lease.worker}
          and ${jobTallies.itemsError} + ${jobTallies.taskErrors} > wanted.errors_at_most
        offset 0) -- looked up by key
    order by wanted.place
  ),
  granted as (
    update ${tasks} set ${assignments('lease', lease)}
    where ${tasks.id} = any(array(
        select next.id
        from open_jobs
        cross join lateral (
          select ${tasks.id} from ${tasks}
          where ${tasks.jobId} = open_jobs.id and ${tasks.id} > open_jobs.floor and ${guard('lease', lease)}
            and (${tasks.errors} = 0 or not exists (
              select from ${leases}
              where ${leases.taskId} = ${tasks.id} and ${leases.workerId} = ${lease.worker}
                and ${leases.leasedAt} > now() - open_jobs.left_to_others_ms * interval '1 millisecond'
              offset 0))
          order by ${tasks.id}
          limit ${sql.placeholder('limit')}::int
          for no key update skip locked
        ) as next
        limit ${sql.placeholder('limit')}::int))
    returning id, job_id, first_seq, item_count, outcome_count, attempts, assigned_worker
  ),
  numbered as (
    insert into ${leases} (task_id, attempt, worker_id, boot_id)
    select id, attempts, assigned_worker, ${sql.placeholder('boot')}::text from granted
  ),
  moved as (
    select job_id, assigned_worker as worker_id, 'pending' as was, 'leased' as status, 1 as granted, 0 as items_ok, 0 as items_error, 0 as items_failed
    from granted
  ),
  ${tallied({ blameWorker: false })}
  select granted.id::text, granted.job_id, granted.attempts, ${jobs.jobType}, ${jobs.model}, ${jobs.params}, item.item_id, item.payload,
    granted.item_count - granted.outcome_count as missing
  from granted
  join ${jobs} on ${jobs.id} = granted.job_id
  left join lateral (
    select ${items.seq}, ${items.itemId}, ${items.payload} from ${items}
    where ${items.jobId} = granted.job_id
      and ${items.seq} >= granted.first_seq and ${items.seq} < granted.first_seq + granted.item_count
      and (granted.outcome_count = 0 or not exists (
        select from ${results} where ${results.jobId} = ${items.jobId} and ${results.seq} = ${items.seq}
        offset 0)) -- looked up by key: without this all results may be read into a hash
    offset 0 -- keeps the range scan inside: joined outright it may become a hash of the whole job
  ) as item on true
  order by granted.id, item.seq`;
