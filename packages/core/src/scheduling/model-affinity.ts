import { isStarving, type JobOrder, type WaitingJob } from './job-order.ts';

/**
 * A worker swaps models only where those that hold the other one would need longer than this many times what the
 * swap takes.
 */
const WORTH_OF_A_SWAP = 8;
/** With nothing else to do, it is worth it for what takes them longer than this many times. */
const WORTH_WHEN_IDLE = 0.5;
/** A job that others have the model for is worth a swap once it has waited so many times longer than makes it starve. */
const STARVED_FOR_A_SWAP = 3;
/** What a swap takes where the worker has not seen one, in seconds. */
const UNKNOWN_LOAD_SECONDS = 30;

/** What loading a job's model would mean for the worker that asks. */
export interface ModelFit {
  /** The worker has the job's model loaded. */
  readonly loaded: boolean;
  /** What loading it takes here; null where that is not known. */
  readonly loadSeconds: number | null;
  /** The pace of the alive workers that have it loaded. */
  readonly loadedItemsPerSecond: number;
}

/**
 * The jobs in the order in which they are to be offered to one worker that has a model loaded: as they are, unless
 * the first needs another model. Then those come first for which the worker has it, while others see to that job
 * soon enough; and where there are none of those, a job is left out that others end sooner than this worker
 * could help, unless none of them has taken any of it for as long as that. A job that starves is left to those that
 * have its model, for three times as long as makes it starve.
 */
export function orderByModelAffinity<Job extends WaitingJob>(
  jobs: readonly Job[],
  fitOf: (job: Job) => ModelFit,
  order: JobOrder,
  now: number,
): readonly Job[] {
  const fits = jobs.map((job) => ({ job, fit: fitOf(job) }));
  const [best] = fits;
  if (best === undefined || best.fit.loaded) return jobs;
  if (isStarving(best.job, now, STARVED_FOR_A_SWAP)) return jobs;
  const mine = fits.filter(({ fit }) => fit.loaded);
  if (mine.length === 0) {
    const isLeft = (job: Job, fit: ModelFit) =>
      endsWithin(WORTH_WHEN_IDLE, job, fit) && now - job.lastServedAt < WORTH_WHEN_IDLE * loadMs(fit);
    return fits.filter(({ job, fit }) => !isLeft(job, fit)).map(({ job }) => job);
  }
  if (order !== 'fifo' && !endsWithin(WORTH_OF_A_SWAP, best.job, best.fit)) return jobs;
  return [...mine, ...fits.filter(({ fit }) => !fit.loaded)].map(({ job }) => job);
}

/** Whether the workers that hold its model end a job within so many times what loading it here takes. */
function endsWithin(loads: number, job: WaitingJob, fit: ModelFit): boolean {
  const { loadedItemsPerSecond } = fit;
  return loadedItemsPerSecond > 0 && (job.itemsLeft / loadedItemsPerSecond) * 1000 < loads * loadMs(fit);
}

function loadMs({ loadSeconds }: ModelFit): number {
  return (loadSeconds ?? UNKNOWN_LOAD_SECONDS) * 1000;
}
