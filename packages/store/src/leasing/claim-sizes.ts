import {
  DEFAULT_LEASE_LIMIT,
  isSameWorkKind,
  JOBS_SIZED_ONE_BY_ONE,
  leaseSize,
  maxHeldItems,
  shareOfPoolRate,
} from '@macbatch/core';
import type { QueuedJob } from './job-queue.ts';
import type { LeaseCall } from './lease-call.ts';
import type { Scheduler } from './scheduler.ts';

/** The jobs of one claim, in order, and the most tasks that it takes. */
export interface ClaimSize {
  readonly jobs: readonly QueuedJob[];
  readonly limit: number;
}

/**
 * The claims to try, one after the other. A worker that reports its slots gets a size in seconds of work for each of
 * the first jobs, and nothing while it holds enough. Other workers get one claim over all jobs.
 */
export async function* claimSizes(
  { queue, holdings }: Scheduler,
  call: LeaseCall,
  jobs: readonly QueuedJob[],
  limit: number | null,
): AsyncGenerator<ClaimSize, void, undefined> {
  const { worker, slots } = call;
  if (slots == null) {
    yield { jobs, limit: limit ?? DEFAULT_LEASE_LIMIT };
    return;
  }
  for (const job of jobs.slice(0, JOBS_SIZED_ONE_BY_ONE)) {
    const itemsPerSecond = call.offers.find((offer) => isSameWorkKind(offer, job))?.itemsPerSecond ?? null;
    if (await holdings.isFull(worker, maxHeldItems(itemsPerSecond, slots))) return;
    const size = leaseSize({
      itemsPerSecond,
      slots,
      shardSize: job.shardSize,
      pendingItems: job.pendingTasks * job.shardSize,
      shareOfPoolRate: shareOfPoolRate(itemsPerSecond, queue.poolRateOf(job)),
      leaseLimit: limit,
    });
    yield { jobs: [job], limit: size };
  }
  yield { jobs: jobs.slice(JOBS_SIZED_ONE_BY_ONE), limit: 1 };
}
