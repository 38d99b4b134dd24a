import { sql } from 'drizzle-orm';
import { events, jobs, jobTallies, workers } from '../database/schema.ts';
import { type NoArguments, statement } from '../database/statement.ts';
import { jobIsOpen } from '../jobs/open-job.ts';
import { alive } from '../workers/alive.ts';
import { isPaused } from '../workers/pause.ts';

/** Most events that one reading looks at. If there were more, their jobs are not known. */
const MAX_EVENTS = 500;

export interface TallyVersionRow {
  readonly id: string;
  readonly owner: string;
  readonly open: boolean;
  /** Empty for the control plane's own tally. */
  readonly worker_id: string;
  /** Changes whenever the tally or the state of the job does. */
  readonly version: string;
}

/** Most new jobs that one reading looks at. More than that are seen while they are open. */
const MAX_NEW_JOBS = 500;

/**
 * Reads a version of each tally of the jobs that are open, of jobs that are newer than `newest`, and of `watched`
 * jobs. Its cost depends on the number of open jobs and their workers, not on their items.
 */
export const readTallyVersions = statement<{ watched: readonly string[]; newest: string }, TallyVersionRow>(
  (arg) => sql`
  select ${jobs.id}, ${jobs.owner}, ${jobIsOpen} as open, coalesce(tally.worker_id, '') as worker_id,
    concat_ws('/', tally.last_at, tally.pending, tally.leased, tally.done, tally.failed, tally.items_ok, tally.items_error,
      ${jobs.finishedAt}, ${jobs.cancelledAt}) as version
  from ${jobs}
  left join lateral (select * from ${jobTallies} where ${jobTallies.jobId} = ${jobs.id} offset 0) as tally on true
  where ${jobs.prunedAt} is null and ${jobs.id} = any(array(
    select ${jobs.id} from ${jobs} where ${jobIsOpen}
    union select unnest(${arg.watched('uuid[]')})
    union (select ${jobs.id} from ${jobs} where ${jobs.id} > ${arg.newest('uuid')} order by ${jobs.id} limit ${sql.raw(String(MAX_NEW_JOBS))})))`,
);

/** Reads the id of the newest job and of the newest event. */
export const readNewest = statement<NoArguments, { readonly job: string; readonly event: string }>(
  () => sql`
  select coalesce((select ${jobs.id}::text from ${jobs} order by ${jobs.id} desc limit 1), '00000000-0000-0000-0000-000000000000') as job,
    (select coalesce(max(${events.id}), 0)::text from ${events}) as event`,
);

export interface WorkerVersionRow {
  readonly id: string;
  readonly version: string;
}

/** Reads a version of each worker. The times and rates of heartbeats are not part of it. */
export const readWorkerVersions = statement<NoArguments, WorkerVersionRow>(
  () => sql`
  select ${workers.id}, concat_ws('/', ${workers.bootId}, ${workers.hostname}, ${workers.jobTypes}, ${workers.models}, ${workers.concurrency},
    ${workers.offline}, ${alive()}, ${isPaused()}, ${workers.ownPauseReason}, ${workers.pausedAt}, ${workers.pausedUntil}, ${workers.pauseReason}, ${workers.pauseDrains},
    (select string_agg(concat_ws('/', trouble.code, trouble.model, trouble.endpoint), '/')
      from jsonb_to_recordset(${workers.troubles}::jsonb) as trouble (code text, model text, endpoint text))) as version
  from ${workers}`,
);

export interface NewEventRow {
  readonly id: string;
  /** Null for an event that belongs to no job. */
  readonly owner: string | null;
}

/** Reads the owners of the jobs of events behind `after`, oldest first. */
export const readNewEvents = statement<{ after: string }, NewEventRow>(
  (arg) => sql`
  select ${events.id}::text, (select ${jobs.owner} from ${jobs} where ${jobs.id} = ${events.jobId}) as owner
  from ${events} where ${events.id} > ${arg.after('text')}::bigint
  order by ${events.id} limit ${sql.raw(String(MAX_EVENTS))}`,
);
