import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { answerForLeasesAndCopies, changeCopies } from '../copies/held-copies.ts';
import { assignments, guard } from '../database/rule-sql.ts';
import { tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { type LeaseArguments, type LockedTaskRow, lockedTasks } from '../tasks/locked-tasks.ts';
import { addToTallies } from '../tasks/tallies.ts';
import { answerEachLease, type LeaseName, type LeaseRefusal } from './lease-answers.ts';

/** Hands tasks back unfinished: they are pending again, and no attempt is charged. */
const releaseStatement = statement<LeaseArguments, LockedTaskRow>((arg) => {
  const lease = { worker: arg.worker('text'), attempt: sql`locked.reported_attempt` };
  return sql`
  with ${lockedTasks(arg)},
  changed as (
    update ${tasks} set ${assignments('release', lease, sql`locked`)}
    from locked
    where ${tasks.id} = locked.id and ${guard('release', lease, sql`locked`)}
    returning locked.position, locked.status as old_status, ${tasks.jobId}, ${tasks.status}
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
  leases: readonly LeaseName[],
): Promise<LeaseRefusal[]> {
  const answers = await answerEachLease('release', leases, (args) =>
    releaseStatement.run(connections.durable, { worker, ...args }),
  );
  return answers.map(({ refusal }) => refusal);
}
