import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { copies, leases, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import type { LeaseName } from './lease-answers.ts';

/** The leases that these boots of a worker still hold, and the copies that they have. */
const readLeasesOfBoots = statement<
  { worker: string; boots: readonly string[] },
  { readonly task_id: string; readonly attempt: number }
>(
  (arg) => sql`
  select ${tasks.id}::text as task_id, ${tasks.attempts} as attempt
  from ${tasks} join ${leases} on ${leases.taskId} = ${tasks.id} and ${leases.attempt} = ${tasks.attempts}
  where ${tasks.status} = 'leased' and ${tasks.assignedWorker} = ${arg.worker('text')}
    and ${leases.bootId} = any(${arg.boots('text[]')})
  union
  select ${copies.taskId}::text, ${copies.attempt} from ${copies}
  where ${copies.workerId} = ${arg.worker('text')} and ${copies.ended} is null
    and ${copies.bootId} = any(${arg.boots('text[]')})
  order by 1`,
);

/** Reads the leases and copies that these boots of a worker still hold. */
export async function leasesOfBoots(
  connections: ConnectionPools,
  worker: string,
  boots: readonly string[],
): Promise<LeaseName[]> {
  const rows = await readLeasesOfBoots.run(connections.durable, { worker, boots });
  return rows.map(({ task_id, attempt }) => ({ taskId: task_id, attempt }));
}
