import { type SQL, sql } from 'drizzle-orm';
import type { Placeholders } from '../database/arguments.ts';
import { jobs, tasks } from '../database/schema.ts';

/** Leases as arrays of equal length, one element for each. */
export type LeaseArguments = {
  worker: string;
  /** Positions of the leases in the call. */
  positions: readonly number[];
  taskIds: readonly string[];
  attempts: readonly number[];
};

/** What a statement over `lockedTasks` returns for each task that exists. */
export interface LockedTaskRow {
  readonly position: number;
  readonly old_status: string;
  /** Null when the call changed nothing. */
  readonly new_status: string | null;
  readonly attempts: number;
  readonly cancelled: boolean;
  readonly job_id: string;
}

/**
 * Common table expressions `entry` and `locked`: the leases of the call, and their tasks, locked in the order of
 * their ids. Rules must read `locked`: the table's own rows are those of the statement's snapshot and can be older.
 * `locked.job_cancelled` is true before a cancel has marked the task. `errors`, if given, adds an array of errors as `locked.reported_error`.
 */
export function lockedTasks(arg: Placeholders<LeaseArguments>, errors?: SQL): SQL {
  const none = sql``;
  return sql`
  entry as materialized (
    select * from unnest(
      ${arg.positions('int[]')}, ${arg.taskIds('bigint[]')}, ${arg.attempts('int[]')}${errors === undefined ? none : sql`, ${errors}`}
    ) as entry (position, task_id, attempt${errors === undefined ? none : sql`, error`})
  ),
  locked as materialized (
    select entry.position, entry.attempt as reported_attempt${errors === undefined ? none : sql`, entry.error as reported_error`}, ${tasks}.*,
      (select ${jobs.cancelledAt} is not null from ${jobs} where ${jobs.id} = ${tasks.jobId}) as job_cancelled
    from entry join ${tasks} on ${tasks.id} = entry.task_id
    order by ${tasks.id}
    for no key update of ${tasks}
  )`;
}
