import { offersWork } from '../scheduling/work-kind.ts';
import { isInTrouble } from '../workers/worker-trouble.ts';
import type { OpenJob, PoolWorker } from './pool-state.ts';

export const WORKER_STATES = [
  /** It holds tasks or runs copies. */
  'working',
  /** It has said goodbye. */
  'offline',
  /** It is not alive and has not said goodbye: asleep, cut off or ended. */
  'silent',
  /** It offers no job type or no model, for example because no model server answers it. */
  'nothing_offered',
  'no_open_job',
  /** The open jobs need other job types or models. */
  'no_job_for_its_models',
  /** Other workers hold all tasks that it could run, and it gets no copies. */
  'everything_leased',
  /** A pending task fits it: it is about to ask, or it waits for its model server. */
  'work_waits',
] as const;
export type WorkerState = (typeof WORKER_STATES)[number];

/** Says whether a worker works, and if not, why. */
export function workerState(
  worker: Omit<PoolWorker, 'slots' | 'rates' | 'mayLeave' | 'paused'>,
  jobs: readonly OpenJob[],
): WorkerState {
  if (worker.offline) return 'offline';
  if (!worker.alive) return 'silent';
  const works = [...worker.held, ...worker.copies];
  // What it holds waits for a model server that does not answer.
  if (works.length > 0)
    return works.every((kind) => isInTrouble(worker, kind)) ? 'nothing_offered' : 'working';
  if (worker.jobTypes.length === 0 || worker.models.length === 0) return 'nothing_offered';
  if (jobs.length === 0) return 'no_open_job';
  const possible = jobs.filter((job) => offersWork(worker, job));
  if (possible.length === 0) return 'no_job_for_its_models';
  return possible.some(({ pendingTasks }) => pendingTasks > 0) ? 'work_waits' : 'everything_leased';
}
