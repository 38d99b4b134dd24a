import type { ConnectionPools } from '@macbatch/connection';
import {
  estimateJob,
  HEARTBEAT_ALIVE_SECONDS,
  type HeldWork,
  isAlive,
  type JobEstimateRange,
  type JobOrder,
  type JobWait,
  jobWait,
  measuredRate,
  type NoEstimateReason,
  type OpenJob,
  orderJobs,
  type PoolState,
  type PoolWorker,
} from '@macbatch/core';
import { type Statement, statement } from '../database/statement.ts';
import type { Job } from '../jobs/job.ts';
import { databaseClock } from '../operations/observe-statements.ts';
import type { WorkerRate } from '../workers/workers.ts';
import {
  type HeldRow,
  heldWork,
  liveCopies,
  type OpenJobRow,
  openJobs,
  type PoolWorkerRow,
  poolWorkers,
  type RecentRow,
  recentItems,
} from './pool-state-statements.ts';

/** Silent for so long a worker has missed some heartbeats already. */
const QUIET_MS = (HEARTBEAT_ALIVE_SECONDS * 1000) / 2;

interface OwnedJob extends OpenJob {
  readonly owner: string;
}

/** The pool with the owners of its jobs. */
export interface OwnedPool extends PoolState {
  readonly jobs: readonly OwnedJob[];
}

/** What a job waits for and when it should end. */
export interface JobExplanation {
  /** The database's clock when this was so. */
  readonly at: Date;
  readonly wait: JobWait;
  readonly forecast: JobEstimateRange | NoEstimateReason;
  /** Items a second of this kind of work that workers which are alive tell; 0 where none does. */
  readonly reportedRate: number;
  /** Items a second of this job in the last minutes. */
  readonly measuredRate: number;
}

type None = Record<string, never>;

/** Looks at the whole pool at one moment, and says what it means for a job or a worker. */
export class PoolView {
  readonly #connections: ConnectionPools;
  readonly #order: JobOrder;
  readonly #givesCopies: boolean;
  readonly #jobs: Statement<None, OpenJobRow>;
  readonly #workers: Statement<None, PoolWorkerRow>;
  readonly #held: Statement<None, HeldRow>;
  readonly #copies: Statement<None, HeldRow>;
  readonly #recent: Statement<{ job: string }, RecentRow>;
  readonly #clock: Statement<None, { now: Date }>;

  constructor(connections: ConnectionPools, order: JobOrder, givesCopies: boolean) {
    this.#connections = connections;
    this.#order = order;
    this.#givesCopies = givesCopies;
    this.#jobs = statement(openJobs);
    this.#workers = statement(poolWorkers);
    this.#held = statement(heldWork);
    this.#copies = statement(liveCopies);
    this.#recent = statement(recentItems);
    this.#clock = statement(databaseClock);
  }

  async state(): Promise<OwnedPool> {
    return (await this.#read()).pool;
  }

  async explain(job: Job): Promise<JobExplanation> {
    const [{ pool, at }, recent] = await Promise.all([
      this.#read(),
      this.#recent.run(this.#connections.durable, { job: job.id }),
    ]);
    const measured = new Map(
      recent.map((row) => [
        row.worker_id,
        measuredRate({ decayedItems: row.faded_items, sinceSeconds: row.since_seconds }),
      ]),
    );
    return {
      at,
      wait: jobWait({ ...job, pendingTasks: job.tasks.pending }, pool),
      forecast: estimateJob(job.id, pool, measured),
      reportedRate: sum(
        pool.workers
          .filter(({ alive }) => alive)
          .flatMap(({ rates }) => rates)
          .filter(({ jobType, model }) => jobType === job.jobType && model === job.model)
          .map(({ itemsPerSecond }) => itemsPerSecond),
      ),
      measuredRate: sum([...measured.values()].map(({ itemsPerSecond }) => itemsPerSecond)),
    };
  }

  async #read(): Promise<{ readonly pool: OwnedPool; readonly at: Date }> {
    const client = this.#connections.durable;
    const [jobs, workers, held, copies, [clock]] = await Promise.all([
      this.#jobs.run(client, {}),
      this.#workers.run(client, {}),
      this.#held.run(client, {}),
      this.#copies.run(client, {}),
      this.#clock.run(client, {}),
    ]);
    if (clock === undefined) throw new Error('the clock answered nothing');
    const at = clock.now;
    const lostLeases = new Set(jobs.flatMap((job) => job.lost_by));
    const heldBy = Map.groupBy(held, (row) => row.worker_id);
    const copiedBy = Map.groupBy(copies, (row) => row.worker_id);
    const of = (rows: ReadonlyMap<string, readonly HeldRow[]>, id: string) =>
      (rows.get(id) ?? []).map(heldOf);
    return {
      at,
      pool: {
        jobs: orderJobs(jobs.map(openJob), this.#order, at.getTime()),
        workers: [
          ...workers.map((row) =>
            poolWorker(row, {
              at,
              held: of(heldBy, row.id),
              copies: of(copiedBy, row.id),
              lostLeases: lostLeases.has(row.id),
            }),
          ),
          ...[...heldBy]
            .filter(([id]) => !workers.some((row) => row.id === id))
            .map(([id, rows]) => stranger(id, rows.map(heldOf))),
        ],
        order: this.#order,
        now: at.getTime(),
        givesCopies: this.#givesCopies,
      },
    };
  }
}

function openJob(row: OpenJobRow): OwnedJob {
  return {
    id: row.id,
    owner: row.owner,
    jobType: row.job_type,
    model: row.model,
    shardSize: row.shard_size,
    priority: row.priority,
    itemsLeft: row.items_left,
    itemsToRun: row.items_to_run,
    pendingTasks: row.pending_tasks,
    lastServedAt: row.last_served_ms,
  };
}

function poolWorker(
  row: PoolWorkerRow,
  seen: Pick<PoolWorker, 'held' | 'copies'> & { readonly at: Date; readonly lostLeases: boolean },
): PoolWorker {
  const { at, held, copies, lostLeases } = seen;
  const now = at.getTime();
  const lastHeartbeatAt = row.last_heartbeat_at.getTime();
  return {
    id: row.id,
    alive: isAlive({ lastHeartbeatAt, offline: row.offline }, now),
    offline: row.offline,
    mayLeave: lostLeases || now - lastHeartbeatAt > QUIET_MS,
    jobTypes: row.job_types,
    models: row.models,
    slots: row.concurrency,
    // As the heartbeat was validated and stored.
    rates: (JSON.parse(row.rates) as WorkerRate[]).map((rate) => ({
      jobType: rate.job_type,
      model: rate.model,
      itemsPerSecond: rate.items_per_second,
      loaded: rate.loaded ?? false,
    })),
    held,
    copies,
  };
}

/** Who has leased without ever having said what it is. */
function stranger(id: string, held: readonly HeldWork[]): PoolWorker {
  return {
    id,
    alive: false,
    offline: false,
    mayLeave: true,
    jobTypes: [],
    models: [],
    slots: 1,
    rates: [],
    held,
    copies: [],
  };
}

function heldOf(row: HeldRow): HeldWork {
  return {
    jobId: row.job_id,
    jobType: row.job_type,
    model: row.model,
    tasks: row.tasks,
    items: row.items,
    oldestSeconds: row.oldest_seconds,
    secondsLeft: row.seconds_left,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
