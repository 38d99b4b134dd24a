import { byModelAffinity } from './model-affinity.ts';
import { offersWork, sameKind, type WorkKind } from './offers-work.ts';
import type { OpenJob, PoolState, PoolWorker } from './pool-state.ts';

/**
 * Of these jobs those that a worker is given, in its own order: that of service, unless it has a model loaded. What
 * loading another takes it tells only when it asks, so that it is not known here.
 */
export function jobsForWorker<Job extends OpenJob>(
  worker: PoolWorker,
  jobs: readonly Job[],
  pool: PoolState,
): readonly Job[] {
  const possible = jobs.filter((job) => offersWork(worker, job));
  const loaded = new Set(worker.paces.filter((pace) => pace.loaded).map(({ model }) => model));
  if (loaded.size === 0) return possible;
  const fitOf = (job: Job) => ({
    loaded: loaded.has(job.model),
    loadSeconds: null,
    holdersItemsPerSecond: paceWhereLoaded(pool.workers, job),
  });
  return byModelAffinity(possible, fitOf, pool.order, pool.now);
}

function paceWhereLoaded(workers: readonly PoolWorker[], kind: WorkKind): number {
  return workers
    .filter(({ alive }) => alive)
    .flatMap(({ paces }) => paces)
    .filter((pace) => pace.loaded && sameKind(pace, kind))
    .reduce((sum, { itemsPerSecond }) => sum + itemsPerSecond, 0);
}
