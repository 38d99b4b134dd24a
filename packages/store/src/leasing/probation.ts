import type { ConnectionPools } from '@macbatch/connection';
import {
  ERRORS_UNTIL_REVIEW,
  EVIDENCE_WAIT_SECONDS,
  isSameWorkKind,
  LEFT_TO_OTHERS_SECONDS,
  type LeaseBudget,
  leaseBudget,
  MAX_SLEEP_SECONDS,
  NO_OUTCOMES,
  SCHEDULING_CACHE_MS,
  type WorkKind,
} from '@macbatch/core';
import { shareInFlight } from '../database/share-in-flight.ts';
import type { JobQueue, QueuedJob } from './job-queue.ts';
import type { LeaseOffer } from './lease-call.ts';
import { type JobWithErrors, WorkerHistories, type WorkerHistory } from './worker-histories.ts';

/** Jobs by the worker's lease budget in them. Jobs with the budget `none` are in neither list. */
export interface BudgetedJobs {
  readonly unlimited: readonly QueuedJob[];
  /** The worker is on probation and may have one task. */
  readonly oneTask: readonly QueuedJob[];
}

export interface WorkerOnProbation {
  readonly worker: string;
  readonly jobId: string;
}

/**
 * Gives less work to workers whose items end in errors: see `leaseBudget`. It reads histories only when a waiting
 * job has errors, or when a worker has nothing to do.
 */
export class Probation {
  readonly #queue: JobQueue;
  readonly #monotonicMs: () => number;
  readonly #histories: WorkerHistories;
  /** The reading of the queue that the histories belong to. */
  #queueReading = 0;

  constructor(connections: ConnectionPools, queue: JobQueue, monotonicMs: () => number) {
    this.#histories = new WorkerHistories(connections, monotonicMs);
    this.#queue = queue;
    this.#monotonicMs = monotonicMs;
  }

  /** Sorts jobs of the queue by the worker's lease budget. Each list keeps their order. */
  async withBudgets(worker: string, jobs: readonly QueuedJob[]): Promise<BudgetedJobs> {
    if (jobs.every(({ errors }) => errors === 0)) return { unlimited: jobs, oneTask: [] };
    if (this.#queueReading < this.#queue.readings) await this.#refresh();
    const budgets = new Map(jobs.map((job) => [job, this.#budgetFor(worker, job)]));
    return {
      unlimited: jobs.filter((job) => budgets.get(job) === 'all'),
      oneTask: jobs.filter((job) => budgets.get(job) === 'one'),
    };
  }

  /** The offers whose work the worker may get copies of: not those of a kind in which it is on probation. */
  async offersForCopies(
    worker: string,
    offers: readonly LeaseOffer[],
    { mayUseCache }: { readonly mayUseCache: boolean },
  ): Promise<LeaseOffer[]> {
    const isOld = this.#monotonicMs() - this.#histories.readAtMs >= SCHEDULING_CACHE_MS;
    if (!mayUseCache || isOld) await this.#refresh();
    return offers.filter((offer) =>
      this.#jobsLike(offer).every((job) => this.#budgetInJob(worker, job) === 'all'),
    );
  }

  /** The number of errors in the job above which the claim must leave it out: the budget may have changed. */
  errorsAtMost(worker: string, jobId: string): number {
    return (this.#histories.inJob(jobId).get(worker)?.errors ?? 0) + ERRORS_UNTIL_REVIEW;
  }

  /** How long a task that the worker gave up with an error is left to others; 0 when there are no others. */
  leftToOthersMs(worker: string, job: QueuedJob): number {
    if (job.errors === 0 || this.#histories.othersFor(worker, job).length === 0) return 0;
    return LEFT_TO_OTHERS_SECONDS[this.#budgetFor(worker, job)] * 1000;
  }

  noteLease(worker: string, jobId: string): void {
    this.#histories.noteLease(worker, jobId);
  }

  /** The workers that get less of a job at the moment, as of the last reading. */
  workers(): WorkerOnProbation[] {
    return this.#histories.jobs.flatMap((job) =>
      [...this.#histories.inJob(job.id).keys()]
        .filter((worker) => this.#budgetInJob(worker, job) !== 'all')
        .map((worker) => ({ worker, jobId: job.id })),
    );
  }

  readonly #refresh = shareInFlight(async () => {
    const reading = this.#queue.readings;
    await this.#histories.refresh();
    this.#queueReading = reading;
  });

  /** A worker without outcomes in a job gets its budget from other jobs of the same kind. */
  #budgetFor(worker: string, job: QueuedJob): LeaseBudget {
    const { ok, errors } = this.#histories.inJob(job.id).get(worker)?.outcomes ?? NO_OUTCOMES;
    if (ok + errors > 0) return this.#budgetInJob(worker, job);
    const elsewhere = this.#jobsLike(job).map((other) => this.#budgetInJob(worker, other));
    return elsewhere.find((budget) => budget !== 'all') ?? 'all';
  }

  #jobsLike(kind: WorkKind): readonly JobWithErrors[] {
    return this.#histories.jobs.filter((job) => isSameWorkKind(job, kind));
  }

  #budgetInJob(worker: string, job: JobWithErrors): LeaseBudget {
    const histories = this.#histories.inJob(job.id);
    const own = histories.get(worker);
    if (own === undefined || own.manyErrorsSinceMs === null) return 'all';
    const nowMs = this.#monotonicMs();
    const probationSeconds = (nowMs - own.manyErrorsSinceMs) / 1000;
    const others = [...histories].filter(([id, history]) => id !== worker && mayReturn(history, nowMs));
    return leaseBudget({
      own: own.outcomes,
      others: others.map(([, { outcomes }]) => outcomes),
      verdictPending: this.#histories.othersFor(worker, job).some(({ id }) => {
        const other = histories.get(id);
        if (other === undefined || other.leasedAtMs === null)
          return probationSeconds < EVIDENCE_WAIT_SECONDS.unleased;
        const { ok, errors } = other.outcomes;
        return ok + errors === 0 && probationSeconds < EVIDENCE_WAIT_SECONDS.leased;
      }),
      probationSeconds,
      secondsSinceLease: own.leasedAtMs === null ? probationSeconds : (nowMs - own.leasedAtMs) / 1000,
      reportedSinceLease: own.leasedAtMs === null || own.changedAtMs > own.leasedAtMs,
    });
  }
}

/** Whether a worker is here or asleep. One that sends no heartbeats can't be expected back. */
function mayReturn({ boot, offline, heardAtMs }: WorkerHistory, nowMs: number): boolean {
  return boot !== null && !offline && nowMs - heardAtMs < MAX_SLEEP_SECONDS * 1000;
}
