import type { ConnectionPools } from '@macbatch/connection';
import {
  type JobOrder,
  orderByModelAffinity,
  orderJobs,
  type PoolRate,
  type WaitingJob,
} from '@macbatch/core';
import { type Statement, statement } from '../database/statement.ts';
import { type PaceRow, poolPaces, type QueuedRow, queuedJobs } from './queue-statements.ts';

/** How long what was read is good enough to choose by; what is claimed is always checked by the claim. */
const FRESH_MS = 1000;

export interface QueuedJob extends WaitingJob {
  readonly jobType: string;
  readonly model: string;
  readonly shardSize: number;
  readonly pendingTasks: number;
  /** Errors of items and of tasks so far. */
  readonly errors: number;
}

/** What a worker asks for, with what it tells of the model. */
export interface QueueOffer {
  readonly job_type: string;
  readonly model: string;
  readonly loaded?: boolean;
  readonly loadSeconds?: number | null;
}

interface KindPace extends PoolRate {
  /** Of the workers that have the model loaded. */
  readonly loadedItemsPerSecond: number;
}

interface Queue {
  readonly jobs: readonly QueuedJob[];
  readonly paces: ReadonlyMap<string, KindPace>;
  /** By the database's clock, in milliseconds, when it was read. */
  readonly now: number;
}

const NO_PACE: KindPace = { itemsPerSecond: 0, workers: 0, loadedItemsPerSecond: 0 };

/** The jobs that wait for workers, in the order in which they are to be served. */
export class JobQueue {
  readonly #connections: ConnectionPools;
  readonly #jobs: Statement<Record<string, never>, QueuedRow>;
  readonly #paces: Statement<Record<string, never>, PaceRow>;
  readonly #monotonicMs: () => number;
  readonly #order: JobOrder;
  #queue: Queue = { jobs: [], paces: new Map(), now: 0 };
  #readAt = Number.NEGATIVE_INFINITY;
  #looks = 0;
  #reading: Promise<void> | null = null;

  constructor(connections: ConnectionPools, monotonicMs: () => number, order: JobOrder) {
    this.#connections = connections;
    this.#jobs = statement(queuedJobs);
    this.#paces = statement(poolPaces);
    this.#monotonicMs = monotonicMs;
    this.#order = order;
  }

  /** Whether `matching` would look at the database. */
  get stale(): boolean {
    return this.#monotonicMs() - this.#readAt >= FRESH_MS;
  }

  /** Tasks may have become pending: the next look is a new one. */
  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }

  /** The jobs that somebody with these offers should run, the first one first. */
  async matching(offers: readonly QueueOffer[]): Promise<readonly QueuedJob[]> {
    if (this.stale) {
      // Who asks at the same time shares the look.
      this.#reading ??= this.#read().finally(() => {
        this.#reading = null;
      });
      await this.#reading;
    }
    const { jobs, now } = this.#queue;
    const wanted = new Map(offers.map((offer) => [kindOf(offer.job_type, offer.model), offer]));
    const runnable = jobs.filter(({ jobType, model }) => wanted.has(kindOf(jobType, model)));
    const loaded = new Set(offers.flatMap((offer) => (offer.loaded === true ? [offer.model] : [])));
    if (loaded.size === 0) return runnable;
    const fitOf = ({ jobType, model }: QueuedJob) => {
      const kind = kindOf(jobType, model);
      return {
        loaded: loaded.has(model),
        loadSeconds: wanted.get(kind)?.loadSeconds ?? null,
        loadedItemsPerSecond: this.#paceOf(kind).loadedItemsPerSecond,
      };
    };
    return orderByModelAffinity(runnable, fitOf, this.#order, now);
  }

  /** Whether a job waited for such a worker when it was last looked. */
  hasAny(offers: readonly QueueOffer[]): boolean {
    return this.#queue.jobs.some(({ jobType, model }) =>
      offers.some((offer) => offer.job_type === jobType && offer.model === model),
    );
  }

  /** How often the database was looked at: tells one look from the next. */
  get looks(): number {
    return this.#looks;
  }

  /** How fast the pool is at what a job needs, as its workers tell. */
  paceOf({ jobType, model }: QueuedJob): PoolRate {
    return this.#paceOf(kindOf(jobType, model));
  }

  #paceOf(kind: string): KindPace {
    return this.#queue.paces.get(kind) ?? NO_PACE;
  }

  async #read(): Promise<void> {
    const readAt = this.#monotonicMs();
    const client = this.#connections.relaxed;
    const [jobs, paces] = await Promise.all([this.#jobs.run(client, {}), this.#paces.run(client, {})]);
    const now = jobs[0]?.now_ms ?? 0;
    this.#queue = {
      jobs: orderJobs(jobs.map(queuedJob), this.#order, now),
      paces: new Map(
        paces.map((row) => [
          kindOf(row.job_type, row.model),
          {
            itemsPerSecond: row.items_per_second,
            workers: row.workers,
            loadedItemsPerSecond: row.loaded_items_per_second,
          },
        ]),
      ),
      now,
    };
    this.#readAt = readAt;
    this.#looks += 1;
  }
}

function queuedJob(row: QueuedRow): QueuedJob {
  return {
    id: row.id,
    jobType: row.job_type,
    model: row.model,
    shardSize: row.shard_size,
    priority: row.priority,
    itemsLeft: row.items_left,
    pendingTasks: row.pending_tasks,
    errors: row.errors,
    lastServedAt: row.last_served_ms,
  };
}

function kindOf(jobType: string, model: string): string {
  return JSON.stringify([jobType, model]);
}
