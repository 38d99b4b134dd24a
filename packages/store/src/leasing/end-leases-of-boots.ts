import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { leases, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';

/** Lets the leases that these boots of a worker still hold end now. The next reclaim expires them. */
const endLeases = statement<{ worker: string; boots: readonly string[] }, { readonly id: string }>(
  (arg) => sql`
  update ${tasks} set lease_until = now()
  from ${leases}
  where ${leases.taskId} = ${tasks.id} and ${leases.attempt} = ${tasks.attempts}
    and ${tasks.status} = 'leased' and ${tasks.assignedWorker} = ${arg.worker('text')}
    and ${leases.bootId} = any(${arg.boots('text[]')})
  returning ${tasks.id}::text as id`,
);

/** Ends the leases of boots that have died. Returns how many there were. */
export async function endLeasesOfBoots(
  connections: ConnectionPools,
  worker: string,
  boots: readonly string[],
): Promise<number> {
  return (await endLeases.run(connections.durable, { worker, boots })).length;
}
