import { MAX_LEASE_BYTES } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { assignments, guard } from '../database/rule-sql.ts';
import { items, jobs, jobTallies, leases, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { jobIsOpen } from '../jobs/open-job.ts';
import type { TaskItemRow } from '../tasks/leased-tasks.ts';
import { addToTallies } from '../tasks/tallies.ts';
import { isItemOf, itemsWithoutOutcome } from '../tasks/task-items.ts';
import { lockOwnWorker, mayLease } from '../workers/goodbye.ts';
import { anotherMayRun, hasRejected } from './left-to-others.ts';

/** The four arrays have an element for each job. */
export type ClaimArguments = {
  worker: string;
  boot: string;
  limit: number;
  /** Most bytes of payloads. The first task may have more if this is `MAX_LEASE_BYTES`. */
  maxBytes: number;
  leaseMs: number;
  jobs: readonly string[];
  /** Pending floor of each job. The claim starts there, to skip dead index entries. */
  floors: readonly string[];
  /** A job in which the worker has more errors is left out: its lease budget must be computed again. */
  errorsAtMost: readonly number[];
  /** How long a task that the worker gave up with an error is left to others. */
  leftToOthersMs: readonly number[];
};

export interface ClaimedRow extends TaskItemRow {
  /** Items of the task without an outcome, counted on the locked row. */
  readonly missing: number;
  readonly no_other_worker: boolean;
}

/**
 * T2, T4: leases up to `limit` pending tasks of these jobs, in the order of the jobs. Returns a row for each item
 * that has no outcome yet. Leases nothing to a boot that has said goodbye, and no second task that would make the
 * reply larger than `MAX_LEASE_BYTES`.
 *
 * The ids are collected into an array, which Postgres evaluates once: a bare `IN (SELECT … LIMIT n)` may run again
 * and claim more than n. The candidates are locked rows that the guard accepts, so the update needs no guard; with
 * one, the planner would look for the ids among all pending tasks instead of by their key.
 *
 * The snapshot can miss an outcome that was recorded just before the task was locked. Then the rows contain more
 * items than `missing` says.
 */
export const claimTasks = statement<ClaimArguments, ClaimedRow>((arg) => {
  const lease = { worker: arg.worker('text'), leaseMs: arg.leaseMs('float8') };
  const boot = arg.boot('text');
  return sql`
  with ${lockOwnWorker(lease.worker)},
  open_jobs as materialized (
    select ${jobs.id}, ${jobs.largestTaskBytes}, ${jobs.jobType}, ${jobs.model}, wanted.floor, wanted.left_to_others_ms, wanted.place
    from unnest(${arg.jobs('uuid[]')}, ${arg.floors('bigint[]')}, ${arg.errorsAtMost('int[]')}, ${arg.leftToOthersMs('int[]')})
      with ordinality as wanted (job_id, floor, errors_at_most, left_to_others_ms, place)
    join ${jobs} on ${jobs.id} = wanted.job_id
    where ${jobIsOpen} and ${mayLease(boot)}
      and not exists (
        select from ${jobTallies}
        where ${jobTallies.jobId} = wanted.job_id and ${jobTallies.workerId} = ${lease.worker}
          and ${jobTallies.itemsError} + ${jobTallies.taskErrors} > wanted.errors_at_most
        offset 0) -- looked up by key
    order by wanted.place
  ),
  candidate as materialized (
    select next.*, row_number() over () as place
    from open_jobs
    cross join lateral (
      select ${tasks.id}, ${tasks.jobId}, ${tasks.firstSeq}, ${tasks.itemCount} from ${tasks}
      where ${tasks.jobId} = open_jobs.id and ${tasks.id} > open_jobs.floor and ${guard('lease', lease)}
        and (${tasks.errors} = 0 or not exists (
          select from ${leases}
          where ${leases.taskId} = ${tasks.id} and ${leases.workerId} = ${lease.worker}
            and ${leases.leasedAt} > now() - open_jobs.left_to_others_ms * interval '1 millisecond'
          offset 0))
        and (${tasks.returns} = 0 or not ${hasRejected(sql`${tasks}.id`, lease.worker, boot)}
          or not ${anotherMayRun(sql`${tasks}.id`, sql`open_jobs`, lease.worker)})
      order by ${tasks.id}
      limit ${arg.limit('int')}
      for no key update skip locked
    ) as next
    limit ${arg.limit('int')}
  ),
  -- Bytes are counted only if the candidates can have too many.
  counts_bytes as materialized (
    select bool_or(coalesce(open_jobs.largest_task_bytes * ${arg.limit('int')} > ${arg.maxBytes('int')}, true)) as yes from open_jobs
  ),
  measured as (
    select candidate.id, candidate.place, sum(case when counts_bytes.yes
        then (select sum(octet_length(${items.payload})) from ${items} where ${isItemOf(sql`candidate`)})
        else 0 end) over (order by candidate.place) as bytes
    from candidate cross join counts_bytes
  ),
  leased as (
    update ${tasks} set ${assignments('lease', lease)}
    where ${tasks.id} = any(array(
      select id from measured
      where bytes <= ${arg.maxBytes('int')} or (place = 1 and ${arg.maxBytes('int')} = ${sql.raw(String(MAX_LEASE_BYTES))})
    ))
    returning id, job_id, first_seq, item_count, outcome_count, attempts, returns, assigned_worker
  ),
  lease_row as (
    insert into ${leases} (task_id, attempt, worker_id, boot_id)
    select id, attempts, assigned_worker, ${boot} from leased
  ),
  task_change as (
    select job_id, assigned_worker as worker_id, 'pending' as old_status, 'leased' as new_status, 1 as granted,
      0 as items_ok, 0 as items_error, 0 as items_failed
    from leased
  ),
  ${addToTallies()}
  select leased.id::text, leased.job_id, leased.attempts, ${jobs.jobType}, ${jobs.model}, ${jobs.params}, item.item_id, item.payload,
    leased.item_count - leased.outcome_count as missing,
    leased.returns > 0 and ${hasRejected(sql`leased.id`, lease.worker, boot)} as no_other_worker
  from leased
  join ${jobs} on ${jobs.id} = leased.job_id
  left join lateral (${itemsWithoutOutcome(sql`leased`)}
  ) as item on true
  order by leased.id, item.seq`;
});
