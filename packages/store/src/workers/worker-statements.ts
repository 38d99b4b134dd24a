import { HEARTBEAT_ALIVE_SECONDS } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { copies, jobs, jobTallies, leases, prunedTallies, tasks, workers } from '../database/schema.ts';

/**
 * W1: what a worker says of itself each cycle. Registers it at the first time.
 *
 * One machine works under a worker id at a time. The boot that is known stays until it says goodbye or has been
 * silent for as long as makes a worker count as gone; only a boot that names it as its own predecessor, which
 * nobody but its successor on the same disk can, takes over at once. Any other changes nothing here. A worker of
 * a release that sends no predecessors is believed.
 */
export const heartbeat = sql`
  insert into ${workers} as worker (id, boot_id, hostname, job_types, models, concurrency, lease_limit, rates, offline)
  values (${sql.placeholder('worker')}::text, ${sql.placeholder('boot')}::text, ${sql.placeholder('hostname')}::text,
    ${sql.placeholder('jobTypes')}::text[], ${sql.placeholder('models')}::text[], ${sql.placeholder('concurrency')}::int,
    ${sql.placeholder('leaseLimit')}::int, ${sql.placeholder('rates')}::text, ${sql.placeholder('offline')}::bool)
  on conflict (id) do update set boot_id = excluded.boot_id, hostname = excluded.hostname, job_types = excluded.job_types,
    models = excluded.models, concurrency = excluded.concurrency, lease_limit = excluded.lease_limit, rates = excluded.rates,
    offline = excluded.offline, last_heartbeat_at = now()
  where worker.boot_id = excluded.boot_id or worker.offline
    or worker.last_heartbeat_at <= now() - ${sql.raw(String(HEARTBEAT_ALIVE_SECONDS))} * interval '1 second'
    or coalesce(worker.boot_id = any(${sql.placeholder('formerBoots')}::text[]), true)
  returning now() as now`;

export const hostOf = sql`select hostname from ${workers} where id = ${sql.placeholder('worker')}::text`;

/** The leases that these boots of a worker hold still, and the copies that they were given. */
export const heldByBoots = sql`
  select ${tasks.id}::text as task_id, ${tasks.attempts} as attempt
  from ${tasks} join ${leases} on ${leases.taskId} = ${tasks.id} and ${leases.attempt} = ${tasks.attempts}
  where ${tasks.status} = 'leased' and ${tasks.assignedWorker} = ${sql.placeholder('worker')}::text
    and ${leases.bootId} = any(${sql.placeholder('boots')}::text[])
  union
  select ${copies.taskId}::text, ${copies.attempt} from ${copies}
  where ${copies.workerId} = ${sql.placeholder('worker')}::text and ${copies.ended} is null
    and ${copies.bootId} = any(${sql.placeholder('boots')}::text[])
  order by 1`;

export interface WorkerRow {
  readonly id: string;
  readonly boot_id: string;
  readonly hostname: string;
  readonly job_types: readonly string[];
  readonly models: readonly string[];
  readonly concurrency: number;
  readonly lease_limit: number;
  readonly rates: string;
  readonly offline: boolean;
  readonly first_seen_at: Date;
  readonly last_heartbeat_at: Date;
  readonly now: Date;
  readonly tasks_done: number;
  readonly tasks_failed: number;
  readonly tasks_leased: number;
  readonly last_job_type: string | null;
  readonly last_model: string | null;
}

export const listWorkers = sql`
  select ${workers}.*, now() as now,
    (coalesce(sum(${jobTallies.tasksDone}), 0) + coalesce(max(${prunedTallies.tasksDone}), 0))::int as tasks_done,
    (coalesce(sum(${jobTallies.tasksFailed}), 0) + coalesce(max(${prunedTallies.tasksFailed}), 0))::int as tasks_failed,
    (select count(*)::int from tasks where tasks.status = 'leased' and tasks.assigned_worker = ${workers.id}) as tasks_leased,
    last.job_type as last_job_type, last.model as last_model
  from ${workers} left join ${jobTallies} on ${jobTallies.workerId} = ${workers.id}
  left join ${prunedTallies} on ${prunedTallies.workerId} = ${workers.id}
  left join lateral (
    -- The one tally first: of all the jobs that it ever worked for only this is looked up.
    select ${jobs.jobType}, ${jobs.model} from ${jobs} where ${jobs.id} = (
      select recent.job_id from ${jobTallies} as recent
      where recent.worker_id = ${workers.id} and recent.last_leased_at is not null
      order by recent.last_leased_at desc limit 1)
  ) as last on true
  group by ${workers.id}, last.job_type, last.model
  order by ${workers.id}`;
