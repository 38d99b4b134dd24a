import { isSameWorkKind, offersWork, type WorkKind } from '../scheduling/work-kind.ts';
import type { OpenJob, PoolWorker } from './pool-state.ts';

export const WORKER_STATES = [
  /** It holds tasks, or runs copies of what others hold. */
  'working',
  /** It has said goodbye. */
  'offline',
  /** No heartbeat for so long that it does not count as alive: asleep, cut off or gone. */
  'silent',
  /** It offers no type or no model at all: no model server answers it. */
  'nothing_offered',
  'no_open_job',
  /** The open jobs want others. */
  'no_job_for_its_models',
  /** All that it could do is held by others, and there is nothing of it to copy. */
  'everything_leased',
  /** There is work for it: it is about to ask, or waits for its model server. */
  'work_waits',
] as const;
export type WorkerState = (typeof WORKER_STATES)[number];

/** Whether a worker works, and if not, why. */
export function workerState(
  worker: Omit<PoolWorker, 'slots' | 'paces' | 'mayLeave'>,
  jobs: readonly OpenJob[],
): WorkerState {
  if (worker.offline) return 'offline';
  if (!worker.alive) return 'silent';
  if (worker.held.length + worker.copies.length > 0) return 'working';
  if (worker.jobTypes.length === 0 || worker.models.length === 0) return 'nothing_offered';
  if (jobs.length === 0) return 'no_open_job';
  const possible = jobs.filter((job) => offersWork(worker, job));
  if (possible.length === 0) return 'no_job_for_its_models';
  return possible.some(({ pendingTasks }) => pendingTasks > 0) ? 'work_waits' : 'everything_leased';
}

/** The kinds of work that jobs need, each once, those of the job that comes first first. */
export function distinctWorkKinds(jobs: readonly WorkKind[]): WorkKind[] {
  const kinds: WorkKind[] = [];
  for (const { jobType, model } of jobs) {
    if (!kinds.some((kind) => isSameWorkKind(kind, { jobType, model }))) kinds.push({ jobType, model });
  }
  return kinds;
}
