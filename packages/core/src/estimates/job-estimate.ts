import { byWorkKind } from '../scheduling/by-work-kind.ts';
import { offersWork, type WorkKind } from '../scheduling/work-kind.ts';
import { isInTrouble } from '../workers/worker-trouble.ts';
import { expectedRate, medianRates, type Outlook } from './expected-rate.ts';
import { jobsForWorkers } from './jobs-for-worker.ts';
import type { MeasuredRate } from './measured-rate.ts';
import type { OpenJob, PoolState, PoolWorker } from './pool-state.ts';
import { timeToServe } from './time-to-serve.ts';

/** Part of the range that covers differences between items, as a share of the estimate. */
const SPREAD = 0.1;
/** Divided by the square root of the number of items: few items vary more. */
const SPREAD_OF_FEW_ITEMS = 0.5;
/** Added while the job has not run: its items may differ from those of other jobs. Decays with `UNTRIED_SECONDS`. */
const SPREAD_OF_UNTRIED_JOB = 0.3;
const UNTRIED_SECONDS = 60;
/** Share of the last task that remains when all other tasks have ended. */
const LAST_TASK_SHARE = { early: 0, likely: 0.5, late: 1 } as const;
/** The early end of the range is at least this share of the early estimate. */
const SMALLEST_EARLY_SHARE = 0.4;

/** Seconds from now: `low` ≤ `likely` ≤ `high`, all finite. */
export interface JobEstimateRange {
  readonly likely: number;
  readonly low: number;
  readonly high: number;
}

/** Why there is no estimate. */
export const NO_ESTIMATE_REASONS = ['not_open', 'no_worker', 'nothing_measured'] as const;
export type NoEstimateReason = (typeof NO_ESTIMATE_REASONS)[number];

/**
 * Estimates when a job ends, if no job is submitted that goes before it and no other worker joins.
 *
 * The model: every worker first finishes what it holds. Then each worker takes the open jobs in its own order
 * (`jobsForWorkers`) at its expected rate (`expectedRate`). At the end, half of one last task remains. What an
 * absent worker holds waits until its lease expires.
 *
 * The range repeats the calculation with an early and a late outlook (see `expectedRate`). In the late outlook a
 * worker that may sleep also lets its leases expire. Both ends then move outwards: by a tenth, by more for few
 * items, and by more for a job that has just started.
 *
 * @param measured This job's measured rates, by worker id.
 */
export function estimateJob(
  jobId: string,
  pool: PoolState,
  measured: ReadonlyMap<string, MeasuredRate>,
): JobEstimateRange | NoEstimateReason {
  const position = pool.jobs.findIndex(({ id }) => id === jobId);
  const job = pool.jobs[position];
  if (job === undefined) return 'not_open';
  const alive = pool.workers.filter((worker) => worker.alive);
  const heldOfJob = (worker: PoolWorker) =>
    worker.held.filter((held) => held.jobId === jobId && held.items > 0);
  const holders = pool.workers.filter((worker) => heldOfJob(worker).length > 0);
  const runners = alive.filter(
    (worker) =>
      ((offersWork(worker, job) && !worker.paused) || heldOfJob(worker).length > 0) &&
      !isInTrouble(worker, job),
  );
  if (runners.length === 0) return 'no_worker';
  const medianRate = medianRates(pool.workers);
  const unheldItems = itemsHeldByNone(pool.jobs, alive);
  // A paused worker finishes what it holds and takes nothing more.
  if ((unheldItems[position] ?? 0) > 0 && runners.every(({ paused }) => paused)) return 'no_worker';
  const positions = new Map(pool.jobs.map(({ id }, at) => [id, at]));
  const jobsFor = jobsForWorkers(
    pool.jobs.filter((_, at) => at === position || (unheldItems[at] ?? 0) > 0),
    pool,
  );
  const takes = new Map(
    alive.map((worker) => [
      worker,
      worker.paused ? [] : jobsFor(worker).flatMap(({ id }) => positions.get(id) ?? []),
    ]),
  );
  const hasOtherWork = (worker: PoolWorker) =>
    pool.jobs.some((each) => each.id !== jobId && each.pendingTasks > 0 && offersWork(worker, each));
  const getsCopied =
    pool.givesCopies &&
    new Set([...runners, ...holders]).size > 1 &&
    runners.some((worker) => !worker.paused && !hasOtherWork(worker));

  const secondsIn = (outlook: Outlook): number => {
    const rates = new Map(
      pool.workers.map((worker) => {
        // A measurement says nothing about a worker that works on another job now.
        const measuredHere = holders.includes(worker) ? measured.get(worker.id) : undefined;
        return [
          worker,
          {
            ofJob: expectedRate(worker, job, { measured: measuredHere, median: medianRate(job) }, outlook),
            ofOthers: byWorkKind((kind) =>
              expectedRate(worker, kind, { measured: undefined, median: medianRate(kind) }, outlook),
            ),
          },
        ];
      }),
    );
    const rateOf = (worker: PoolWorker, kind: WorkKind, isJob: boolean): number => {
      const known = rates.get(worker);
      return (isJob ? known?.ofJob : known?.ofOthers(kind)) ?? 0;
    };
    const itemSeconds = (worker: PoolWorker) => secondsFor(worker.slots, rateOf(worker, job, true));
    const fastestItemSeconds = Math.min(...runners.map(itemSeconds));
    const heldSeconds = (worker: PoolWorker, exceptJob: string | null = null) =>
      worker.held
        .filter((held) => held.items > 0 && held.jobId !== exceptJob)
        .reduce((sum, held) => sum + secondsFor(held.items, rateOf(worker, held, held.jobId === jobId)), 0);

    const holderSeconds = holders.map((worker) => {
      const untilReclaimed =
        Math.max(...heldOfJob(worker).map(({ secondsLeft }) => secondsLeft)) + fastestItemSeconds;
      if (!worker.alive) return untilReclaimed;
      const untilFinished = Math.max(heldSeconds(worker), itemSeconds(worker));
      return outlook === 'late' && worker.mayLeave ? Math.max(untilFinished, untilReclaimed) : untilFinished;
    });
    /** Seconds until the items that no worker holds are done. With `withCopies`, held items of the job count too. */
    const secondsToServe = (withCopies: boolean) =>
      timeToServe(
        unheldItems.map((items, at) => (withCopies && at === position ? job.itemsToRun : items)),
        alive.map((worker) => ({
          freeAfter: heldSeconds(worker, withCopies ? jobId : null),
          takes: takes.get(worker) ?? [],
          rateAt: (at) => rateOf(worker, pool.jobs[at] ?? job, at === position),
        })),
        position,
      );
    const taskSeconds = (worker: PoolWorker) =>
      secondsFor(Math.max(worker.slots, Math.min(job.shardSize, job.itemsToRun)), rateOf(worker, job, true));
    const presentHolders = holders.filter((worker) => worker.alive);
    // Without holders, take the fastest runner: with the slowest, an additional worker could delay the estimate.
    const lastTaskSeconds =
      presentHolders.length > 0
        ? Math.max(...presentHolders.map(taskSeconds))
        : Math.min(...runners.map(taskSeconds));
    const unheldSeconds = secondsToServe(false);
    const withoutCopies = Math.max(
      unheldSeconds > 0 ? unheldSeconds + LAST_TASK_SHARE[outlook] * lastTaskSeconds : 0,
      fastestItemSeconds,
      ...holderSeconds,
    );
    if (!getsCopied || outlook === 'late') return withoutCopies;
    const withCopies =
      Math.max(secondsToServe(true), fastestItemSeconds) + LAST_TASK_SHARE[outlook] * fastestItemSeconds;
    return Math.min(withoutCopies, withCopies);
  };

  const likely = secondsIn('likely');
  const triedSeconds = Math.max(0, ...holders.map((worker) => measured.get(worker.id)?.sinceSeconds ?? 0));
  const spread =
    SPREAD +
    SPREAD_OF_FEW_ITEMS / Math.sqrt(Math.max(1, job.itemsToRun)) +
    SPREAD_OF_UNTRIED_JOB * Math.exp(-triedSeconds / UNTRIED_SECONDS);
  const high = Math.max(likely, secondsIn('late')) * (1 + spread);
  if (!Number.isFinite(high)) return 'nothing_measured';
  return {
    likely,
    low: Math.min(likely, secondsIn('early')) * Math.max(SMALLEST_EARLY_SHARE, 1 - spread),
    high,
  };
}

/** Seconds for a number of items; infinite at a rate of zero. */
function secondsFor(items: number, rate: number): number {
  return rate > 0 ? items / rate : Number.POSITIVE_INFINITY;
}

/** For each job, the items that none of these workers holds. */
function itemsHeldByNone(jobs: readonly OpenJob[], workers: readonly PoolWorker[]): number[] {
  const held = new Map<string, number>();
  for (const { jobId, items } of workers.flatMap((worker) => worker.held))
    held.set(jobId, (held.get(jobId) ?? 0) + items);
  return jobs.map(({ id, itemsToRun }) => Math.max(0, itemsToRun - (held.get(id) ?? 0)));
}
