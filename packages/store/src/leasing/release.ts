import { type SQL, sql } from 'drizzle-orm';
import { settledElsewhere } from '../copies/copy-statements.ts';
import { assignments, guard } from '../database/rule-sql.ts';
import { copies, tasks } from '../database/schema.ts';
import type { HeldRow } from '../reporting/fail.ts';
import { tallied } from '../tallies/add-to-tallies.ts';

const held = { worker: sql`${sql.placeholder('worker')}::text`, attempt: sql`held.reported_attempt` };
const renewal = { ...held, leaseMs: sql`${sql.placeholder('leaseMs')}::float8` };

// The rules see the rows as they were locked: the table's own may be older, as the snapshot has them.
const heldRows = sql`
  with entry as materialized (
    select * from unnest(
      ${sql.placeholder('numbers')}::int[], ${sql.placeholder('taskIds')}::bigint[], ${sql.placeholder('attempts')}::int[]
    ) as entry (no, task_id, attempt)
  ),
  held as materialized (
    select entry.no, entry.attempt as reported_attempt, ${tasks}.*
    from entry join ${tasks} on ${tasks.id} = entry.task_id
    order by ${tasks.id}
    for no key update of ${tasks}
  )`;

/** What of `held` is not a lease of the worker but a copy that it was given. */
const copied = (set: SQL, only: SQL) => sql`
  copied as (
    update ${copies} set ${set} from held
    where ${copies.taskId} = held.id and ${copies.attempt} = held.reported_attempt and ${copies.workerId} = ${held.worker}
      and ${copies.ended} is null and ${only}
    returning held.no
  )`;

const reply = (more: SQL) => sql`
  select held.no, held.status as was, coalesce(changed.status, case when held.no in (select no from copied) then held.status end) as status,
    held.attempts, held.cancelled, held.job_id${more}
  from held left join changed on changed.no = held.no`;

/** The holder hands tasks back unfinished: pending again, and no attempt is charged. */
export const release = sql`${heldRows},
  changed as (
    update ${tasks} set ${assignments('release', held, sql`held`)}
    from held
    where ${tasks.id} = held.id and ${guard('release', held, sql`held`)}
    returning held.no, held.status as was, ${tasks.jobId}, ${tasks.status}
  ),
  moved as (
    select job_id, ${held.worker} as worker_id, was, status, 0 as granted, 0 as items_ok, 0 as items_error, 0 as items_failed from changed
  ),
  ${tallied({ blameWorker: false })},
  ${copied(sql`ended = 'returned'`, sql`true`)}
  ${reply(sql``)}`;

export interface RenewedRow extends HeldRow {
  /** Items that others have outcomes of, from copies; null where there are none. */
  readonly settled: readonly string[] | null;
}

/** The holder extends leases. Changes no indexed column, so the update stays on its page (HOT). */
export const renew = sql`${heldRows},
  changed as (
    update ${tasks} set ${assignments('renew', renewal, sql`held`)}
    from held
    where ${tasks.id} = held.id and ${guard('renew', renewal, sql`held`)}
    returning held.no, ${tasks.status}
  ),
  ${copied(
    sql`lease_until = now() + ${renewal.leaseMs} * interval '1 millisecond'`,
    sql`held.status <> 'done' and not held.cancelled`,
  )}
  ${reply(sql`, ${settledElsewhere(sql`held`)} as settled`)}`;
