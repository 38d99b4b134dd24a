import type { ConnectionPools } from '@macbatch/connection';
import type { JobOrder } from '@macbatch/core';
import { HolderCache } from '../copies/holder-cache.ts';
import { Holdings } from './holdings.ts';
import { JobQueue } from './job-queue.ts';
import { PendingFloors } from './pending-floors.ts';
import { Probation } from './probation.ts';

/** What the steps of lease calls share, and what this process remembers between calls. */
export interface Scheduler {
  readonly connections: ConnectionPools;
  readonly monotonicMs: () => number;
  readonly givesCopies: boolean;
  readonly queue: JobQueue;
  readonly probation: Probation;
  readonly holdings: Holdings;
  readonly floors: PendingFloors;
  readonly holders: HolderCache;
}

export interface SchedulerOptions {
  readonly monotonicMs: () => number;
  readonly order: JobOrder;
  readonly givesCopies: boolean;
}

export function createScheduler(connections: ConnectionPools, options: SchedulerOptions): Scheduler {
  const { monotonicMs, order, givesCopies } = options;
  const queue = new JobQueue(connections, monotonicMs, order);
  return {
    connections,
    monotonicMs,
    givesCopies,
    queue,
    probation: new Probation(connections, queue, monotonicMs),
    holdings: new Holdings(connections),
    floors: new PendingFloors(),
    holders: new HolderCache(connections, monotonicMs),
  };
}

/** Makes the next claim look at every job from its first task: tasks went back to pending. */
export function forgetClaimed({ floors, queue }: Scheduler): void {
  floors.clear();
  queue.invalidate();
}
