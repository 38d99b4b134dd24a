import { DEFAULT_LEASE_LIMIT, MAX_LEASE_BYTES } from '@macbatch/core';
import { grantCopies } from '../copies/grant-copies.ts';
import type { LeasedTask } from '../tasks/leased-tasks.ts';
import { claim } from './claim.ts';
import { claimSizes } from './claim-sizes.ts';
import type { LeaseCall } from './lease-call.ts';
import { forgetClaimed, type Scheduler } from './scheduler.ts';

/** Leases pending tasks to a worker, or gives it copies when nothing is pending and it accepts them. */
export async function leaseTasks(scheduler: Scheduler, call: LeaseCall): Promise<LeasedTask[]> {
  const tasks = await leasePending(scheduler, call);
  if (tasks.length > 0 || !scheduler.givesCopies || call.acceptsCopies !== true) return tasks;
  const offers = await scheduler.probation.offersForCopies(call.worker, call.offers, {
    mayUseCache: call.repeated === true,
  });
  if (offers.length === 0) return [];
  const { connections, holders, monotonicMs } = scheduler;
  return grantCopies(connections, holders, { ...call, offers }, monotonicMs());
}

/** Leases pending tasks. Drops what is cached and tries again when the cache may have hidden some. */
async function leasePending(scheduler: Scheduler, call: LeaseCall): Promise<LeasedTask[]> {
  const { queue, floors } = scheduler;
  const room = await scheduler.holdings.room(call.worker);
  if (room === 0) return [];
  const isSized = call.slots != null;
  const limit = isSized ? call.limit : Math.min(call.limit ?? DEFAULT_LEASE_LIMIT, room);
  const nothingCached = queue.stale && floors.empty;
  const { tasks, onProbation } = await leaseOnce(scheduler, call, limit, MAX_LEASE_BYTES);
  const enough = isSized || onProbation ? 1 : (limit ?? DEFAULT_LEASE_LIMIT);
  if (tasks.length >= enough || nothingCached) return tasks;
  if (call.repeated === true && !queue.hasJobFor(call.offers)) return tasks;
  const bytesLeft = MAX_LEASE_BYTES - payloadBytes(tasks);
  if (bytesLeft <= 0) return tasks;
  forgetClaimed(scheduler);
  const again = await leaseOnce(scheduler, call, limit === null ? null : limit - tasks.length, bytesLeft);
  return [...tasks, ...again.tasks];
}

/** Bytes of the payloads in UTF-8. */
function payloadBytes(tasks: readonly LeasedTask[]): number {
  return tasks
    .flatMap(({ items }) => items)
    .reduce((sum, { payload }) => sum + Buffer.byteLength(payload), 0);
}

interface Leased {
  readonly tasks: LeasedTask[];
  /** The worker is on probation in the job and gets one task. */
  readonly onProbation: boolean;
}

/** Chooses jobs, sizes the claims and claims until one of them finds something. */
async function leaseOnce(
  scheduler: Scheduler,
  call: LeaseCall,
  limit: number | null,
  maxBytes: number,
): Promise<Leased> {
  const jobs = await scheduler.queue.jobsFor(call.offers);
  const { unlimited, oneTask } = await scheduler.probation.withBudgets(call.worker, jobs);
  for await (const size of claimSizes(scheduler, call, unlimited, limit)) {
    const tasks = await claim(scheduler, call, size, maxBytes);
    if (tasks.length > 0) return { tasks, onProbation: false };
  }
  return { tasks: await claim(scheduler, call, { jobs: oneTask, limit: 1 }, maxBytes), onProbation: true };
}
