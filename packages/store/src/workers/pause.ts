import type { ConnectionPools } from '@macbatch/connection';
import { type SQL, sql } from 'drizzle-orm';
import { events, workers } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { alive } from './alive.ts';

/** SQL condition: a person has paused the worker. `worker` names a row of `workers`. A pause ends by this condition alone. */
export const isPausedByPerson = (worker: SQL = sql`${workers}`): SQL =>
  sql`(${worker}.paused_at is not null and coalesce(${worker}.paused_until > now(), true))`;

/** SQL condition: the worker is paused now, by a person or by itself. */
export const isPaused = (worker: SQL = sql`${workers}`): SQL =>
  sql`(${isPausedByPerson(worker)} or ${worker}.own_pause_rule is not null)`;

/** SQL condition: the worker may lease tasks now: it is alive and not paused. */
export const takesWork = (worker: SQL = sql`${workers}`): SQL =>
  sql`(${alive(worker)} and not ${isPaused(worker)})`;

/** The columns of a `PauseRow`. */
export const pauseColumns = (worker: SQL = sql`${workers}`): SQL =>
  sql`${isPausedByPerson(worker)} as paused_by_person, ${worker}.paused_at, ${worker}.paused_until, ${worker}.pause_reason, ${worker}.paused_by, ${worker}.pause_drains,
    ${worker}.own_pause_rule, ${worker}.own_pause_reason, ${worker}.own_paused_at`;

export interface PauseRow {
  readonly paused_by_person: boolean;
  readonly paused_at: Date | null;
  readonly paused_until: Date | null;
  readonly pause_reason: string | null;
  readonly paused_by: string | null;
  readonly pause_drains: boolean;
  readonly own_pause_rule: string | null;
  readonly own_pause_reason: string | null;
  readonly own_paused_at: Date | null;
}

/** Why a worker leases nothing: a person has paused it, or it pauses itself. */
export interface WorkerPause {
  readonly since: Date;
  /** The rule by which it pauses itself; null if a person has paused it through the control plane. */
  readonly rule: string | null;
  /** Null: until a person resumes it. */
  readonly until: Date | null;
  readonly reason: string | null;
  /** The name of the key that paused it; null if no key is needed. */
  readonly by: string | null;
  /** It hands back what it has not started. */
  readonly drain: boolean;
}

/** The pause of a worker; null if it is not paused now. What a person has said comes before its own rules. */
export function toPause(row: PauseRow): WorkerPause | null {
  return personPause(row) ?? ownPause(row);
}

/** The pause through the control plane; null if there is none. */
export function personPause(row: PauseRow): WorkerPause | null {
  if (!row.paused_by_person || row.paused_at === null) return null;
  return {
    since: row.paused_at,
    rule: null,
    until: row.paused_until,
    reason: row.pause_reason,
    by: row.paused_by,
    drain: row.pause_drains,
  };
}

function ownPause({ own_pause_rule: rule, own_pause_reason: reason, own_paused_at: since }: PauseRow) {
  if (rule === null || since === null) return null;
  return { since, rule, until: null, reason, by: null, drain: false };
}

/** What a person asks for. */
export interface PauseRequest {
  readonly until: Date | null;
  readonly reason: string | null;
  readonly by: string | null;
  readonly drain: boolean;
}

type PauseArguments = {
  worker: string;
  until: string | null;
  reason: string | null;
  by: string | null;
  drain: boolean;
};

/** Pauses a worker, or changes its pause. A pause whose end has passed changes nothing. */
const setPause = statement<PauseArguments, PauseRow>(
  (arg) => sql`
  with changed as (
    update ${workers} as worker set
      paused_at = case when ${isPausedByPerson(sql`worker`)} then worker.paused_at else now() end,
      paused_until = ${arg.until('text')}::timestamptz, pause_reason = ${arg.reason('text')}, paused_by = ${arg.by('text')},
      pause_drains = ${arg.drain('bool')}
    where worker.id = ${arg.worker('text')} and coalesce(${arg.until('text')}::timestamptz > now(), true)
    returning worker.*
  ),
  event as (
    insert into ${events} (kind, worker_id, detail)
    select 'worker_paused', changed.id,
      json_build_object('reason', pause_reason, 'until', paused_until, 'by', paused_by, 'drain', pause_drains)::text
    from changed
  )
  select ${pauseColumns(sql`changed`)} from changed`,
);

/** Ends the pause of a worker. The event is recorded only if the worker was paused. */
const clearPause = statement<{ worker: string; by: string | null }, { readonly found: boolean }>(
  (arg) => sql`
  with before as materialized (
    select ${workers.id}, ${isPausedByPerson(sql`${workers}`)} as paused from ${workers} where ${workers.id} = ${arg.worker('text')} for no key update
  ),
  changed as (
    update ${workers} set paused_at = null, paused_until = null, pause_reason = null, paused_by = null, pause_drains = false
    from before where ${workers.id} = before.id
  ),
  event as (
    insert into ${events} (kind, worker_id, detail)
    select 'worker_resumed', before.id, json_build_object('by', ${arg.by('text')})::text from before where paused
  )
  select exists (select from before) as found`,
);

const readPause = statement<{ worker: string }, PauseRow>(
  (arg) => sql`select ${pauseColumns()} from ${workers} where ${workers.id} = ${arg.worker('text')}`,
);

/** Pauses a worker. Answers why not: there is no such worker, or the end of the pause has passed. */
export async function pauseWorker(
  { durable }: ConnectionPools,
  worker: string,
  { until, ...request }: PauseRequest,
): Promise<WorkerPause | 'not_found' | 'in_the_past'> {
  const [row] = await setPause.run(durable, { worker, until: until?.toISOString() ?? null, ...request });
  const pause = row === undefined ? null : toPause(row);
  if (pause !== null) return pause;
  const [known] = await readPause.run(durable, { worker });
  return known === undefined ? 'not_found' : 'in_the_past';
}

/** Ends the pause of a worker. Returns false if there is no such worker. */
export async function resumeWorker(
  { durable }: ConnectionPools,
  worker: string,
  by: string | null,
): Promise<boolean> {
  return (await clearPause.one(durable, { worker, by })).found;
}
