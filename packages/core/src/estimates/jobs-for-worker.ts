import { byWorkKind } from '../scheduling/by-work-kind.ts';
import { orderByModelAffinity } from '../scheduling/model-affinity.ts';
import { isSameWorkKind, offersWork } from '../scheduling/work-kind.ts';
import type { OpenJob, PoolState, PoolWorker } from './pool-state.ts';

/**
 * Lists, for each worker, the jobs that it can run, in the order in which it gets them.
 *
 * That is the order of service, changed by the worker's loaded model. A worker reports its load times only when it
 * asks for work, so they are unknown here.
 */
export function jobsForWorkers<Job extends OpenJob>(
  jobs: readonly Job[],
  pool: PoolState,
): (worker: PoolWorker) => readonly Job[] {
  const alive = pool.workers.filter((worker) => worker.alive && !worker.paused);
  const rateWhereLoaded = byWorkKind((kind) =>
    alive
      .flatMap(({ rates }) => rates)
      .filter((rate) => rate.loaded && isSameWorkKind(rate, kind))
      .reduce((sum, { itemsPerSecond }) => sum + itemsPerSecond, 0),
  );
  return (worker) => {
    const offers = byWorkKind((kind) => offersWork(worker, kind));
    const possible = jobs.filter(offers);
    const loadedModels = new Set(worker.rates.filter((rate) => rate.loaded).map(({ model }) => model));
    if (loadedModels.size === 0) return possible;
    const fitOf = (job: Job) => ({
      loaded: loadedModels.has(job.model),
      loadSeconds: null,
      loadedItemsPerSecond: rateWhereLoaded(job),
    });
    return orderByModelAffinity(possible, fitOf, pool.order, pool.now);
  };
}
