import { byWorkKind } from '../scheduling/by-work-kind.ts';
import { orderByModelAffinity } from '../scheduling/model-affinity.ts';
import { isSameWorkKind, offersWork } from '../scheduling/work-kind.ts';
import type { OpenJob, PoolState, PoolWorker } from './pool-state.ts';

/**
 * Says which of these jobs a worker is given, in its own order: that of service, unless it has a model loaded. What
 * loading another takes it tells only when it asks, so that it is not known here.
 */
export function jobsForWorkers<Job extends OpenJob>(
  jobs: readonly Job[],
  pool: PoolState,
): (worker: PoolWorker) => readonly Job[] {
  const alive = pool.workers.filter((worker) => worker.alive);
  const paceWhereLoaded = byWorkKind((kind) =>
    alive
      .flatMap(({ paces }) => paces)
      .filter((pace) => pace.loaded && isSameWorkKind(pace, kind))
      .reduce((sum, { itemsPerSecond }) => sum + itemsPerSecond, 0),
  );
  return (worker) => {
    const offers = byWorkKind((kind) => offersWork(worker, kind));
    const possible = jobs.filter(offers);
    const loaded = new Set(worker.paces.filter((pace) => pace.loaded).map(({ model }) => model));
    if (loaded.size === 0) return possible;
    const fitOf = (job: Job) => ({
      loaded: loaded.has(job.model),
      loadSeconds: null,
      loadedItemsPerSecond: paceWhereLoaded(job),
    });
    return orderByModelAffinity(possible, fitOf, pool.order, pool.now);
  };
}
