import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import type { Placeholders } from '../database/arguments.ts';
import { events, jobs } from '../database/schema.ts';
import { statement } from '../database/statement.ts';

/** Which events are read. Null: no matter. */
export interface EventPage {
  /** Only events of this owner's jobs. */
  readonly owner: string | null;
  readonly job: string | null;
  readonly worker: string | null;
  readonly kind: string | null;
  /** Only events before this one. */
  readonly before: string | null;
  readonly limit: number;
}

/** What happened to a job or a task. */
export interface PoolEvent {
  readonly id: string;
  readonly at: Date;
  readonly kind: string;
  readonly jobId: string | null;
  readonly taskId: string | null;
  readonly worker: string | null;
  readonly attempt: number | null;
  /** JSON text. */
  readonly detail: string | null;
}

interface EventRow {
  readonly id: string;
  readonly at: Date;
  readonly kind: string;
  readonly job_id: string | null;
  readonly task_id: string | null;
  readonly worker_id: string | null;
  readonly attempt: number | null;
  readonly detail: string | null;
}

const selected = (arg: Placeholders<EventPage>) => sql`
  select ${events.id}::text, ${events.at}, ${events.kind}, ${events.jobId}, ${events.taskId}::text, ${events.workerId}, ${events.attempt}, ${events.detail}
  from ${events}
  where (${arg.kind('text')} is null or ${events.kind} = ${arg.kind('text')})
    and (${arg.worker('text')} is null or ${events.workerId} = ${arg.worker('text')})
    and (${arg.before('text')} is null or ${events.id} < ${arg.before('text')}::bigint)
    and (${arg.owner('text')} is null or exists (
      select from ${jobs} where ${jobs.id} = ${events.jobId} and ${jobs.owner} = ${arg.owner('text')} offset 0))`;

// Two statements: a plan that serves both would read all events to find those of a job.
const ofPool = statement<EventPage, EventRow>(
  (arg) =>
    sql`${selected(arg)} and ${arg.job('uuid')} is null order by ${events.id} desc limit ${arg.limit('int')}`,
);
const ofJob = statement<EventPage, EventRow>(
  (arg) =>
    sql`${selected(arg)} and ${events.jobId} = ${arg.job('uuid')} order by ${events.id} desc limit ${arg.limit('int')}`,
);

/** Reads a page of events, newest first. */
export async function listEvents({ durable }: ConnectionPools, page: EventPage): Promise<PoolEvent[]> {
  const rows = await (page.job === null ? ofPool : ofJob).run(durable, page);
  return rows.map((row) => ({
    id: row.id,
    at: row.at,
    kind: row.kind,
    jobId: row.job_id,
    taskId: row.task_id,
    worker: row.worker_id,
    attempt: row.attempt,
    detail: row.detail,
  }));
}
