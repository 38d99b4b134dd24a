import type { ConnectionPools } from '@macbatch/connection';
import { MAX_JOBS_PER_CLAIM } from '@macbatch/core';
import { groupByTask, type LeasedTask } from '../tasks/leased-tasks.ts';
import type { ClaimSize } from './claim-sizes.ts';
import { type ClaimedRow, claimTasks } from './claim-tasks.ts';
import type { LeaseCall } from './lease-call.ts';
import { readLeasedTasks } from './read-leased-tasks.ts';
import type { Scheduler } from './scheduler.ts';

/** Claims tasks with up to `maxBytes` of payloads, verifies their items, and remembers what was claimed. */
export async function claim(
  { connections, floors, holdings, monotonicMs, probation }: Scheduler,
  { worker, boot, leaseMs }: LeaseCall,
  { jobs, limit }: ClaimSize,
  maxBytes: number,
): Promise<LeasedTask[]> {
  if (jobs.length === 0) return [];
  const tried = jobs.slice(0, MAX_JOBS_PER_CLAIM);
  const jobIds = tried.map(({ id }) => id);
  const rows = await claimTasks.run(connections.relaxed, {
    worker,
    boot,
    limit,
    maxBytes,
    leaseMs,
    jobs: jobIds,
    floors: floors.of(jobIds, monotonicMs()),
    errorsAtMost: jobIds.map((id) => probation.errorsAtMost(worker, id)),
    leftToOthersMs: tried.map((job) => probation.leftToOthersMs(worker, job)),
  });
  const tasks = await verifyItems(connections, worker, rows);
  for (const { jobId, taskId } of tasks) {
    floors.raise(jobId, BigInt(taskId));
    probation.noteLease(worker, jobId);
  }
  holdings.add(worker, tasks);
  return tasks;
}

/** Groups claimed rows into tasks. Reads a task again when one of its items got an outcome during the claim. */
async function verifyItems(
  connections: ConnectionPools,
  worker: string,
  rows: readonly ClaimedRow[],
): Promise<LeasedTask[]> {
  const tasks = groupByTask(rows);
  const missing = new Map(rows.map((row) => [row.id, row.missing]));
  const outdated = tasks.filter(({ taskId, items }) => items.length > (missing.get(taskId) ?? 0));
  if (outdated.length === 0) return tasks;
  const current = groupByTask(
    await readLeasedTasks.run(connections.relaxed, {
      worker,
      taskIds: outdated.map(({ taskId }) => taskId),
      attempts: outdated.map(({ attempt }) => attempt),
    }),
  );
  const currentById = new Map(current.map((task) => [task.taskId, task]));
  const outdatedTasks = new Set(outdated);
  return tasks.flatMap((task) => (outdatedTasks.has(task) ? (currentById.get(task.taskId) ?? []) : task));
}
