import type { ConnectionPools } from '@macbatch/connection';
import {
  type JobOrder,
  orderByModelAffinity,
  orderJobs,
  type PoolRate,
  SCHEDULING_CACHE_MS,
  type WorkKind,
  workKindKey,
} from '@macbatch/core';
import { shareInFlight } from '../database/share-in-flight.ts';
import { type ScheduledJob, toScheduledJob } from '../jobs/scheduled-job.ts';
import type { LeaseOffer } from './lease-call.ts';
import { type PoolRateRow, readPoolRates, readQueuedJobs } from './read-queue.ts';

/** An open job that has pending tasks. */
export interface QueuedJob extends ScheduledJob {
  /** Errors of items and of tasks so far. */
  readonly errors: number;
}

interface WorkKindRate extends PoolRate {
  /** Of the workers that have the model loaded. */
  readonly loadedItemsPerSecond: number;
}

const NO_RATE: WorkKindRate = { itemsPerSecond: 0, workers: 0, loadedItemsPerSecond: 0 };

/**
 * The jobs that wait for workers, in the order in which they are served. Cached for a second: the claim checks
 * each task again.
 */
export class JobQueue {
  readonly #connections: ConnectionPools;
  readonly #monotonicMs: () => number;
  readonly #order: JobOrder;
  #jobs: readonly QueuedJob[] = [];
  #rates: ReadonlyMap<string, WorkKindRate> = new Map();
  /** The database's clock at the last reading, in milliseconds. */
  #nowMs = 0;
  #readAtMs = Number.NEGATIVE_INFINITY;
  #readings = 0;

  constructor(connections: ConnectionPools, monotonicMs: () => number, order: JobOrder) {
    this.#connections = connections;
    this.#monotonicMs = monotonicMs;
    this.#order = order;
  }

  /** Whether the next `jobsFor` reads the database. */
  get stale(): boolean {
    return this.#monotonicMs() - this.#readAtMs >= SCHEDULING_CACHE_MS;
  }

  /** Number of database reads so far. It changes when the queue is read again. */
  get readings(): number {
    return this.#readings;
  }

  /** Drops the cache: tasks may have become pending. */
  invalidate(): void {
    this.#readAtMs = Number.NEGATIVE_INFINITY;
  }

  /** The jobs that a worker with these offers should run, the most urgent first. */
  async jobsFor(offers: readonly LeaseOffer[]): Promise<readonly QueuedJob[]> {
    if (this.stale) await this.#refresh();
    const offered = new Map(offers.map((offer) => [workKindKey(offer), offer]));
    const runnable = this.#jobs.filter((job) => offered.has(workKindKey(job)));
    const loadedModels = new Set(offers.flatMap(({ loaded, model }) => (loaded === true ? [model] : [])));
    if (loadedModels.size === 0) return runnable;
    const fitOf = (job: QueuedJob) => ({
      loaded: loadedModels.has(job.model),
      loadSeconds: offered.get(workKindKey(job))?.loadSeconds ?? null,
      loadedItemsPerSecond: this.#rateOf(job).loadedItemsPerSecond,
    });
    return orderByModelAffinity(runnable, fitOf, this.#order, this.#nowMs);
  }

  /** Whether the last reading found a job for one of these offers. */
  hasJobFor(offers: readonly LeaseOffer[]): boolean {
    const offered = new Set(offers.map(workKindKey));
    return this.#jobs.some((job) => offered.has(workKindKey(job)));
  }

  /** The reported rate of the alive workers for a work kind. */
  poolRateOf(kind: WorkKind): PoolRate {
    return this.#rateOf(kind);
  }

  #rateOf(kind: WorkKind): WorkKindRate {
    return this.#rates.get(workKindKey(kind)) ?? NO_RATE;
  }

  readonly #refresh = shareInFlight(async () => {
    const readAtMs = this.#monotonicMs();
    const client = this.#connections.relaxed;
    const [jobs, rates] = await Promise.all([readQueuedJobs.run(client), readPoolRates.run(client)]);
    this.#nowMs = jobs[0]?.now_ms ?? 0;
    this.#jobs = orderJobs(
      jobs.map((row) => ({ ...toScheduledJob(row), errors: row.errors })),
      this.#order,
      this.#nowMs,
    );
    this.#rates = new Map(rates.map(toRate));
    this.#readAtMs = readAtMs;
    this.#readings += 1;
  });
}

function toRate(row: PoolRateRow): [string, WorkKindRate] {
  return [
    workKindKey({ jobType: row.job_type, model: row.model }),
    {
      itemsPerSecond: row.items_per_second,
      workers: row.workers,
      loadedItemsPerSecond: row.loaded_items_per_second,
    },
  ];
}
