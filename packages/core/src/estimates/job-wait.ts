import type { JobState } from '../lifecycle/job-state.ts';
import { byWorkKind } from '../scheduling/by-work-kind.ts';
import { isSameWorkKind, offersWork, type WorkKind } from '../scheduling/work-kind.ts';
import { isInTrouble, type WorkerTrouble } from '../workers/worker-trouble.ts';
import type { OpenJob, PoolState, PoolWorker } from './pool-state.ts';

export const JOB_WAITS = [
  /** No item is left to run. */
  'finished',
  'cancelled',
  /** No alive worker offers its job type and model. */
  'waiting_for_worker',
  /** Alive workers hold some of its tasks. */
  'running',
  /** Workers hold all tasks that are left. */
  'all_leased',
  /** One worker holds all tasks that are left, and other workers are idle. */
  'only_slow_holder',
  /** Its workers take other jobs first. */
  'behind_other_jobs',
  /** It is next: its workers finish what they hold or are about to ask. */
  'next_in_line',
] as const;
export type JobWaitCode = (typeof JOB_WAITS)[number];

/** Most troubles that are listed for a job. */
const MAX_TROUBLES = 20;

/** What a job waits for. It counts other groups' jobs and reveals nothing else about them. */
export interface JobWait {
  readonly code: JobWaitCode;
  /** Alive workers that offer its job type and model and are not paused. */
  readonly workers: number;
  /** Alive workers that offer its job type and model and are paused. */
  readonly pausedWorkers: number;
  /** Of these, the ones that hold tasks of any job. */
  readonly busyWorkers: number;
  /** Models that alive workers offer for its job type: alternatives for a model that no worker offers. */
  readonly offeredModels: readonly string[];
  /** Jobs that go first and need the same workers. */
  readonly jobsBefore: number;
  readonly itemsBefore: number;
  readonly held: {
    readonly tasks: number;
    readonly workers: number;
    /** Holders that are not alive: their leases have to expire. */
    readonly absentWorkers: number;
    readonly oldestSeconds: number | null;
    /** Seconds until every lease of the holders that are not alive has expired. */
    readonly absentSecondsLeft: number | null;
  };
  /** Why workers that are alive cannot run it now. */
  readonly troubles: readonly (WorkerTrouble & { readonly worker: string })[];
}

/** Determines what a job waits for. */
export function jobWait(
  job: WorkKind & { readonly id: string; readonly state: JobState; readonly pendingTasks: number },
  pool: PoolState,
): JobWait {
  const alive = pool.workers.filter((worker) => worker.alive);
  const able = alive.filter((worker) => offersWork(worker, job) && !isInTrouble(worker, job));
  const runners = able.filter((worker) => !worker.paused);
  const holders = pool.workers.filter((worker) => holds(worker, job.id));
  const present = holders.filter((worker) => worker.alive);
  const working = present.filter((worker) => !isInTrouble(worker, job));
  const held = holders.flatMap((worker) => worker.held).filter(({ jobId }) => jobId === job.id);
  const absent = holders
    .filter((worker) => !worker.alive)
    .flatMap((worker) => worker.held)
    .filter(({ jobId }) => jobId === job.id);
  const before = jobsBefore(job, pool.jobs, runners);

  const code = (): JobWaitCode => {
    if (job.state === 'cancelled') return 'cancelled';
    if (job.state === 'done' || job.state === 'failed') return 'finished';
    if (runners.length === 0 && working.length === 0) return 'waiting_for_worker';
    if (job.pendingTasks === 0) {
      const idle = runners.some(({ held: itsLeases, copies }) => itsLeases.length + copies.length === 0);
      return holders.length === 1 && idle ? 'only_slow_holder' : 'all_leased';
    }
    if (runners.length === 0) return 'waiting_for_worker';
    if (working.length > 0) return 'running';
    return before.length > 0 ? 'behind_other_jobs' : 'next_in_line';
  };

  return {
    code: code(),
    workers: runners.length,
    pausedWorkers: able.length - runners.length,
    busyWorkers: runners.filter(({ held: itsLeases }) => itsLeases.length > 0).length,
    offeredModels: modelsFor(job.jobType, alive),
    jobsBefore: before.length,
    itemsBefore: before.reduce((sum, { itemsToRun }) => sum + itemsToRun, 0),
    held: {
      tasks: held.reduce((sum, { tasks }) => sum + tasks, 0),
      workers: holders.length,
      absentWorkers: holders.length - present.length,
      oldestSeconds: held.length === 0 ? null : Math.max(...held.map(({ oldestSeconds }) => oldestSeconds)),
      absentSecondsLeft:
        absent.length === 0 ? null : Math.max(...absent.map(({ secondsLeft }) => secondsLeft)),
    },
    troubles: alive
      .flatMap(({ id, troubles }) => troubles.map((trouble) => ({ ...trouble, worker: id })))
      .filter((trouble) => isSameWorkKind(trouble, job))
      .slice(0, MAX_TROUBLES),
  };
}

function holds(worker: PoolWorker, jobId: string): boolean {
  return worker.held.some((held) => held.jobId === jobId);
}

/** Jobs with pending tasks that at least one worker of this job takes first. */
function jobsBefore(
  job: WorkKind & { readonly id: string },
  inOrder: readonly OpenJob[],
  runners: readonly PoolWorker[],
): OpenJob[] {
  const position = inOrder.findIndex(({ id }) => id === job.id);
  const competes = byWorkKind(
    (kind) => isSameWorkKind(kind, job) || runners.some((worker) => offersWork(worker, kind)),
  );
  return inOrder.slice(0, Math.max(0, position)).filter((other) => other.pendingTasks > 0 && competes(other));
}

function modelsFor(jobType: string, workers: readonly PoolWorker[]): string[] {
  const models = workers
    .filter((worker) => worker.jobTypes.includes(jobType))
    .flatMap(({ models: itsModels }) => itsModels);
  return [...new Set(models)].toSorted((a, b) => (a < b ? -1 : 1));
}
