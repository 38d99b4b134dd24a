import type { HeldWork, OpenJob, PoolState, PoolWorker } from '../estimates/pool-state.ts';

const NOOP_OFFER = { jobType: 'noop', model: 'noop' } as const;

/** An alive worker that offers no-ops at one item a second and holds nothing. */
export function poolWorker(id: string, over: Partial<PoolWorker> = {}): PoolWorker {
  return {
    id,
    alive: true,
    offline: false,
    paused: false,
    mayLeave: false,
    jobTypes: ['noop'],
    models: ['noop'],
    slots: 1,
    rates: [{ ...NOOP_OFFER, itemsPerSecond: 1, loaded: false }],
    troubles: [],
    held: [],
    copies: [],
    ...over,
  };
}

/** A job of a hundred pending no-ops. */
export function openJob(id: string, over: Partial<OpenJob> = {}): OpenJob {
  return {
    ...NOOP_OFFER,
    id,
    priority: 0,
    itemsLeft: over.itemsToRun ?? 100,
    itemsToRun: 100,
    lastServedAt: 0,
    shardSize: 1,
    pendingTasks: 100,
    ...over,
  };
}

/** Ten no-ops of a job, leased five seconds ago. */
export function heldWork(jobId: string, over: Partial<HeldWork> = {}): HeldWork {
  return { ...NOOP_OFFER, jobId, tasks: 1, items: 10, oldestSeconds: 5, secondsLeft: 85, ...over };
}

/** A pool with the jobs in this order, without copies. */
export function poolState(
  workers: readonly PoolWorker[],
  jobs: readonly OpenJob[],
  over: Partial<PoolState> = {},
): PoolState {
  return { workers, jobs, order: 'shortest', now: 0, givesCopies: false, ...over };
}
