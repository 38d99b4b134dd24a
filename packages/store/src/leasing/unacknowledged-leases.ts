import type { ConnectionPools } from '@macbatch/connection';
import { MAX_UNACKNOWLEDGED_TASKS } from '@macbatch/core';
import { groupByTask, type LeasedTask } from '../tasks/leased-tasks.ts';
import { firstTasksOfReply } from '../tasks/task-bytes.ts';
import { type LeaseName, leaseKey } from './lease-answers.ts';
import { leasesOfBoots } from './leases-of-boots.ts';
import { readLeasedTasks } from './read-leased-tasks.ts';
import { type Renewer, renewLeases } from './renew-leases.ts';

/**
 * Returns the leases of this boot that are not among `known`, each renewed: the worker lost the answer that granted
 * them. Grants and takes back nothing, so it does not matter when or how often a worker asks. Leaves out copies:
 * the holders of the leases finish those items anyway.
 */
export async function unacknowledgedLeases(
  connections: ConnectionPools,
  known: readonly LeaseName[],
  renewer: Renewer,
): Promise<LeasedTask[]> {
  const knownKeys = new Set(known.map(leaseKey));
  const all = await leasesOfBoots(connections, renewer.worker, [renewer.boot]);
  const lost = all.filter((lease) => !knownKeys.has(leaseKey(lease))).slice(0, MAX_UNACKNOWLEDGED_TASKS);
  if (lost.length === 0) return [];
  const fitting = await firstTasksOfReply(
    connections.durable,
    lost.map(({ taskId }) => taskId),
  );
  const unknown = lost.filter(({ taskId }) => fitting.has(taskId));
  const rows = await readLeasedTasks.run(connections.durable, {
    worker: renewer.worker,
    taskIds: unknown.map(({ taskId }) => taskId),
    attempts: unknown.map(({ attempt }) => attempt),
  });
  const tasks = groupByTask(rows);
  const renewals = await renewLeases(connections, renewer, tasks);
  return tasks.filter((_, position) => renewals[position]?.refusal === null);
}
