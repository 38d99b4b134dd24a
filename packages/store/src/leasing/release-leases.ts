import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { answerForLeasesAndCopies, changeCopies } from '../copies/held-copies.ts';
import { assignments, guard } from '../database/rule-sql.ts';
import { leases, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { type LeaseArguments, type LockedTaskRow, lockedTasks } from '../tasks/locked-tasks.ts';
import { addToTallies } from '../tasks/tallies.ts';
import { answerEachLease, type LeaseRefusal, type ReleasedLease } from './lease-answers.ts';

type ReleaseArguments = LeaseArguments & {
  /** Tasks that the worker's model server has rejected. */
  rejectedTaskIds: readonly string[];
};

/** Hands tasks back unfinished: they are pending again, and no attempt is charged. */
const releaseStatement = statement<ReleaseArguments, LockedTaskRow>((arg) => {
  const lease = { worker: arg.worker('text'), attempt: sql`locked.reported_attempt` };
  return sql`
  with ${lockedTasks(arg)},
  changed as (
    update ${tasks} set ${assignments('release', lease, sql`locked`)}
    from locked
    where ${tasks.id} = locked.id and ${guard('release', lease, sql`locked`)}
    returning locked.id, locked.reported_attempt, locked.position, locked.status as old_status, ${tasks.jobId}, ${tasks.status}
  ),
  -- The leases are looked up by key, whatever the statistics say.
  rejection as (
    update ${leases} set rejected = true
    where ctid = any(array(
      select lease.ctid from changed
      cross join lateral (
        select ctid from ${leases} where ${leases.taskId} = changed.id and ${leases.attempt} = changed.reported_attempt offset 0
      ) as lease
      where changed.id = any(${arg.rejectedTaskIds('bigint[]')})
    ))
  ),
  task_change as (
    select job_id, ${lease.worker} as worker_id, old_status, status as new_status, 0 as granted,
      0 as items_ok, 0 as items_error, 0 as items_failed
    from changed
  ),
  ${addToTallies()},
  ${changeCopies(lease.worker, sql`ended = 'returned'`, sql`true`)}
  ${answerForLeasesAndCopies(sql``)}`;
});

/** Takes leases back from their holder. Returns one answer for each lease, in order. */
export async function releaseLeases(
  connections: ConnectionPools,
  worker: string,
  released: readonly ReleasedLease[],
): Promise<LeaseRefusal[]> {
  const answers = await answerEachLease('release', released, (args, batch) =>
    releaseStatement.run(connections.durable, {
      worker,
      ...args,
      rejectedTaskIds: batch.filter(({ rejected }) => rejected === true).map(({ taskId }) => taskId),
    }),
  );
  return answers.map(({ refusal }) => refusal);
}
