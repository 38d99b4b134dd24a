import type { JobState } from '../lifecycle/job-state.ts';
import { byWorkKind } from '../scheduling/by-work-kind.ts';
import { isSameWorkKind, offersWork, type WorkKind } from '../scheduling/work-kind.ts';
import type { OpenJob, PoolState, PoolWorker } from './pool-state.ts';

export const JOB_WAITS = [
  /** Nothing is left to run. */
  'finished',
  'cancelled',
  /** Nobody who is alive offers what it needs. */
  'waiting_for_worker',
  /** Workers that are alive hold some of it. */
  'running',
  /** Everything that is left of it is held. */
  'all_leased',
  /** One worker holds all that is left, and others have nothing to do. */
  'only_slow_holder',
  /** Its workers take others first. */
  'behind_other_jobs',
  /** It is next: its workers finish what they hold, or are about to ask. */
  'next_in_line',
] as const;
export type JobWaitCode = (typeof JOB_WAITS)[number];

/** What a job waits for, in numbers, so that nobody learns of others' jobs more than that they are there. */
export interface JobWait {
  readonly code: JobWaitCode;
  /** Workers that are alive and offer what it needs. */
  readonly workers: number;
  /** Of these, those that hold something, of whatever job. */
  readonly busyWorkers: number;
  /** Models that workers which are alive offer for jobs of its type: what could be asked for instead. */
  readonly offeredModels: readonly string[];
  /** Those that come first and need the same workers. */
  readonly jobsBefore: number;
  readonly itemsBefore: number;
  readonly held: {
    readonly tasks: number;
    readonly workers: number;
    /** Workers that hold some of it and are not alive: their leases have to end. */
    readonly absentWorkers: number;
    readonly oldestSeconds: number | null;
    /** Until every lease of those that are not alive has ended. */
    readonly absentSecondsLeft: number | null;
  };
}

/** Says what a job waits for. */
export function jobWait(
  job: WorkKind & { readonly id: string; readonly state: JobState; readonly pendingTasks: number },
  pool: PoolState,
): JobWait {
  const alive = pool.workers.filter((worker) => worker.alive);
  const runners = alive.filter((worker) => offersWork(worker, job));
  const holders = pool.workers.filter((worker) => holds(worker, job.id));
  const present = holders.filter((worker) => worker.alive);
  const held = holders.flatMap((worker) => worker.held).filter(({ jobId }) => jobId === job.id);
  const absent = holders
    .filter((worker) => !worker.alive)
    .flatMap((worker) => worker.held)
    .filter(({ jobId }) => jobId === job.id);
  const before = jobsBefore(job, pool.jobs, runners);

  const code = (): JobWaitCode => {
    if (job.state === 'cancelled') return 'cancelled';
    if (job.state === 'done' || job.state === 'failed') return 'finished';
    if (runners.length === 0 && present.length === 0) return 'waiting_for_worker';
    if (job.pendingTasks === 0) {
      const idle = runners.some(({ held: theirs, copies }) => theirs.length + copies.length === 0);
      return holders.length === 1 && idle ? 'only_slow_holder' : 'all_leased';
    }
    if (runners.length === 0) return 'waiting_for_worker';
    if (present.length > 0) return 'running';
    return before.length > 0 ? 'behind_other_jobs' : 'next_in_line';
  };

  return {
    code: code(),
    workers: runners.length,
    busyWorkers: runners.filter(({ held: theirs }) => theirs.length > 0).length,
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
  };
}

function holds(worker: PoolWorker, jobId: string): boolean {
  return worker.held.some((held) => held.jobId === jobId);
}

/** Jobs with pending tasks that come first with some worker of this job. */
function jobsBefore(
  job: WorkKind & { readonly id: string },
  inOrder: readonly OpenJob[],
  runners: readonly PoolWorker[],
): OpenJob[] {
  const place = inOrder.findIndex(({ id }) => id === job.id);
  const competes = byWorkKind(
    (kind) => isSameWorkKind(kind, job) || runners.some((worker) => offersWork(worker, kind)),
  );
  return inOrder.slice(0, Math.max(0, place)).filter((other) => other.pendingTasks > 0 && competes(other));
}

function modelsFor(jobType: string, workers: readonly PoolWorker[]): string[] {
  const models = workers
    .filter((worker) => worker.jobTypes.includes(jobType))
    .flatMap(({ models: some }) => some);
  return [...new Set(models)].toSorted((a, b) => (a < b ? -1 : 1));
}
