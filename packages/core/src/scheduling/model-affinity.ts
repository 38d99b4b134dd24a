import { isStarving, type JobOrder, type WaitingJob } from './job-order.ts';

/**
 * A worker with work for its loaded model swaps models for a job only if the workers that have that job's model
 * would need longer than this many load times.
 */
const LOADS_WORTH_A_SWAP = 8;
/** An idle worker swaps if those workers would need longer than this many load times. */
const LOADS_WORTH_A_SWAP_WHEN_IDLE = 0.5;
/** A starving job justifies a swap after this many times the starving time. */
const STARVING_TIMES_FOR_A_SWAP = 3;
/** Assumed seconds for loading a model that this worker has not loaded yet. */
const DEFAULT_LOAD_SECONDS = 30;

/** What a job's model means for the worker that asks for work. */
export interface ModelFit {
  /** The worker has the job's model loaded. */
  readonly loaded: boolean;
  /** Seconds that this worker needs to load the model; null if unknown. */
  readonly loadSeconds: number | null;
  /** Sum of the rates of the alive workers that have the model loaded. */
  readonly loadedItemsPerSecond: number;
}

/**
 * Orders jobs for one worker that has a model loaded.
 *
 * The order changes only if the first job needs another model:
 * - If the workers that have that model loaded finish the job soon enough, jobs for the loaded model come first.
 * - If there are none, the worker is idle. Then it skips a job that those workers finish before this worker could
 *   load the model, unless no worker has leased a task of it for that long.
 * - A starving job waits for the workers that have its model, up to three times the starving time.
 */
export function orderByModelAffinity<Job extends WaitingJob>(
  jobs: readonly Job[],
  fitOf: (job: Job) => ModelFit,
  order: JobOrder,
  now: number,
): readonly Job[] {
  const candidates = jobs.map((job) => ({ job, fit: fitOf(job) }));
  const [first] = candidates;
  if (first === undefined || first.fit.loaded) return jobs;
  if (isStarving(first.job, now, STARVING_TIMES_FOR_A_SWAP)) return jobs;
  const forLoadedModel = candidates.filter(({ fit }) => fit.loaded);
  if (forLoadedModel.length === 0) {
    const leftToOthers = (job: Job, fit: ModelFit) =>
      endsWithin(LOADS_WORTH_A_SWAP_WHEN_IDLE, job, fit) &&
      now - job.lastServedAt < LOADS_WORTH_A_SWAP_WHEN_IDLE * loadMs(fit);
    return candidates.filter(({ job, fit }) => !leftToOthers(job, fit)).map(({ job }) => job);
  }
  if (order !== 'fifo' && !endsWithin(LOADS_WORTH_A_SWAP, first.job, first.fit)) return jobs;
  return [...forLoadedModel, ...candidates.filter(({ fit }) => !fit.loaded)].map(({ job }) => job);
}

/** Whether the workers that have its model loaded finish a job within this many load times. */
function endsWithin(loads: number, job: WaitingJob, fit: ModelFit): boolean {
  const { loadedItemsPerSecond } = fit;
  return loadedItemsPerSecond > 0 && (job.itemsLeft / loadedItemsPerSecond) * 1000 < loads * loadMs(fit);
}

function loadMs({ loadSeconds }: ModelFit): number {
  return (loadSeconds ?? DEFAULT_LOAD_SECONDS) * 1000;
}
