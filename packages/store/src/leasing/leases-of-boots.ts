import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { copies, leases, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import type { LeaseName } from './lease-answers.ts';

type BootsArguments = { worker: string; boots: readonly string[] };
type LeaseRow = { readonly task_id: string; readonly attempt: number };

const readCopies = statement<BootsArguments, LeaseRow>(
  (arg) => sql`
  select ${copies.taskId}::text as task_id, ${copies.attempt} as attempt from ${copies}
  where ${copies.workerId} = ${arg.worker('text')} and ${copies.ended} is null
    and ${copies.bootId} = any(${arg.boots('text[]')})
  order by 1`,
);

const readLeases = statement<BootsArguments, LeaseRow>(
  (arg) => sql`
  select ${tasks.id}::text as task_id, ${tasks.attempts} as attempt
  from ${tasks} join ${leases} on ${leases.taskId} = ${tasks.id} and ${leases.attempt} = ${tasks.attempts}
  where ${tasks.status} = 'leased' and ${tasks.assignedWorker} = ${arg.worker('text')}
    and ${leases.bootId} = any(${arg.boots('text[]')})
  order by 1`,
);

const toName = ({ task_id, attempt }: LeaseRow): LeaseName => ({ taskId: task_id, attempt });

/** Reads the copies that these boots of a worker have. */
export async function copiesOfBoots(
  connections: ConnectionPools,
  worker: string,
  boots: readonly string[],
): Promise<LeaseName[]> {
  return (await readCopies.run(connections.durable, { worker, boots })).map(toName);
}

/** Reads the leases and copies that these boots of a worker still hold. */
export async function leasesOfBoots(
  connections: ConnectionPools,
  worker: string,
  boots: readonly string[],
): Promise<LeaseName[]> {
  const held = await readLeases.run(connections.durable, { worker, boots });
  return [...held.map(toName), ...(await copiesOfBoots(connections, worker, boots))];
}
