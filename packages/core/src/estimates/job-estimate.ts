import { byWorkKind } from '../scheduling/by-work-kind.ts';
import { offersWork, type WorkKind } from '../scheduling/work-kind.ts';
import { expectedRate, medianRates, type Outlook } from './expected-rate.ts';
import { jobsForWorkers } from './jobs-for-worker.ts';
import type { MeasuredRate } from './measured-rate.ts';
import type { OpenJob, PoolState, PoolWorker } from './pool-state.ts';
import { timeToServe } from './time-to-serve.ts';

/** Items differ: so far off a forecast may be for that alone, as a share of it. */
const SPREAD = 0.1;
/** And by this over the root of their number, as they are few. */
const SPREAD_OF_FEW = 0.5;
/** And by this where nothing of the job was run yet, whose items may be unlike others; in a minute a third of it. */
const SPREAD_OF_UNTRIED = 0.3;
const TRIED_SECONDS = 60;
/** How much of a last task is still to be run when everybody else is through. */
const LAST_TASK = { early: 0, likely: 0.5, late: 1 } as const;
/** The early end is never less than this share of what is expected. */
const LEAST_SHARE = 0.4;

/** Seconds from now on. `low` ≤ `likely` ≤ `high`, all of them numbers. */
export interface JobEstimateRange {
  readonly likely: number;
  readonly low: number;
  readonly high: number;
}

/** Why nothing can be said. */
export const NO_ESTIMATE_REASONS = ['not_open', 'no_worker', 'nothing_measured'] as const;
export type NoEstimateReason = (typeof NO_ESTIMATE_REASONS)[number];

/**
 * When a job ends, if nothing is submitted that comes before it and no other worker comes.
 *
 * Every worker first finishes what it holds; then all take from the jobs in the order of service, each from the
 * first that it is given (`jobsForWorkers`), at the pace that is expected of it (`expectedRate`), and half of a last task of the slowest that
 * works on it is left then. What a worker holds that is not alive waits for its lease to end.
 *
 * The range is the same reckoning twice more: with the better of what each worker tells and what was measured of
 * it, and with the worse, at half the pace for those that may sleep or were never measured; what is held by who
 * may sleep then waits for its lease to end. Both ends move a tenth further away, and more where few items are left or
 * the job has only just begun to run.
 *
 * `measured` is by worker, for this job.
 */
export function estimateJob(
  jobId: string,
  pool: PoolState,
  measured: ReadonlyMap<string, MeasuredRate>,
): JobEstimateRange | NoEstimateReason {
  const place = pool.jobs.findIndex(({ id }) => id === jobId);
  const job = pool.jobs[place];
  if (job === undefined) return 'not_open';
  const alive = pool.workers.filter((worker) => worker.alive);
  const mine = (worker: PoolWorker) => worker.held.filter((held) => held.jobId === jobId && held.items > 0);
  const holders = pool.workers.filter((worker) => mine(worker).length > 0);
  const runners = alive.filter((worker) => offersWork(worker, job) || mine(worker).length > 0);
  if (runners.length === 0) return 'no_worker';
  const usual = medianRates(pool.workers);
  const free = unheld(pool.jobs, alive);
  const places = new Map(pool.jobs.map(({ id }, at) => [id, at]));
  const jobsFor = jobsForWorkers(
    pool.jobs.filter((_, at) => at === place || (free[at] ?? 0) > 0),
    pool,
  );
  const takes = new Map(
    alive.map((worker) => [worker, jobsFor(worker).flatMap(({ id }) => places.get(id) ?? [])]),
  );
  // Whoever has nothing else to do takes over some of what others hold.
  const helped =
    pool.givesCopies &&
    new Set([...runners, ...holders]).size > 1 &&
    runners.some(
      (worker) =>
        !pool.jobs.some((each) => each.id !== jobId && each.pendingTasks > 0 && offersWork(worker, each)),
    );

  const secondsIn = (outlook: Outlook): number => {
    const paces = new Map(
      pool.workers.map((worker) => {
        // Of who works on something else by now a measurement says nothing.
        const seen = holders.includes(worker) ? measured.get(worker.id) : undefined;
        return [
          worker,
          {
            job: expectedRate(worker, job, { measured: seen, usual: usual(job) }, outlook),
            others: byWorkKind((kind) =>
              expectedRate(worker, kind, { measured: undefined, usual: usual(kind) }, outlook),
            ),
          },
        ];
      }),
    );
    const pace = (worker: PoolWorker, kind: WorkKind, isJob: boolean): number => {
      const known = paces.get(worker);
      return (isJob ? known?.job : known?.others(kind)) ?? 0;
    };
    const itemSeconds = (worker: PoolWorker) => perItem(worker.slots, pace(worker, job, true));
    const oneItem = Math.min(...runners.map(itemSeconds));
    const heldSeconds = (worker: PoolWorker, but: string | null = null) =>
      worker.held
        .filter((held) => held.items > 0 && held.jobId !== but)
        .reduce((sum, held) => sum + perItem(held.items, pace(worker, held, held.jobId === jobId)), 0);

    const ends = holders.map((worker) => {
      const untilBack = Math.max(...mine(worker).map(({ secondsLeft }) => secondsLeft)) + oneItem;
      if (!worker.alive) return untilBack;
      const itself = Math.max(heldSeconds(worker), itemSeconds(worker));
      return outlook === 'late' && worker.mayLeave ? Math.max(itself, untilBack) : itself;
    });
    /** The time for all that nobody, or with `copied` nobody but a holder of this job, works on. */
    const served = (copied: boolean) =>
      timeToServe(
        free.map((items, at) => (copied && at === place ? job.itemsToRun : items)),
        alive.map((worker) => ({
          freeAfter: heldSeconds(worker, copied ? jobId : null),
          takes: takes.get(worker) ?? [],
          rateAt: (at) => pace(worker, pool.jobs[at] ?? job, at === place),
        })),
        place,
      );
    const taskSeconds = (worker: PoolWorker) =>
      perItem(Math.max(worker.slots, Math.min(job.shardSize, job.itemsToRun)), pace(worker, job, true));
    const present = holders.filter((worker) => worker.alive);
    // Of those to come nobody knows who will be the last: not the slowest one, or one more would make it later.
    const lastTask =
      present.length > 0 ? Math.max(...present.map(taskSeconds)) : Math.min(...runners.map(taskSeconds));
    const rest = served(false);
    const alone = Math.max(rest > 0 ? rest + LAST_TASK[outlook] * lastTask : 0, oneItem, ...ends);
    if (!helped || outlook === 'late') return alone;
    return Math.min(alone, Math.max(served(true), oneItem) + LAST_TASK[outlook] * oneItem);
  };

  const likely = secondsIn('likely');
  const tried = Math.max(0, ...holders.map((worker) => measured.get(worker.id)?.sinceSeconds ?? 0));
  const spread =
    SPREAD +
    SPREAD_OF_FEW / Math.sqrt(Math.max(1, job.itemsToRun)) +
    SPREAD_OF_UNTRIED * Math.exp(-tried / TRIED_SECONDS);
  const high = Math.max(likely, secondsIn('late')) * (1 + spread);
  if (!Number.isFinite(high)) return 'nothing_measured';
  return {
    likely,
    low: Math.min(likely, secondsIn('early')) * Math.max(LEAST_SHARE, 1 - spread),
    high,
  };
}

/** What items take at a pace; for ever where there is none. */
function perItem(items: number, pace: number): number {
  return pace > 0 ? items / pace : Number.POSITIVE_INFINITY;
}

/** The items of each job that none of these workers holds. */
function unheld(jobs: readonly OpenJob[], workers: readonly PoolWorker[]): number[] {
  const held = new Map<string, number>();
  for (const { jobId, items } of workers.flatMap((worker) => worker.held))
    held.set(jobId, (held.get(jobId) ?? 0) + items);
  return jobs.map(({ id, itemsToRun }) => Math.max(0, itemsToRun - (held.get(id) ?? 0)));
}
