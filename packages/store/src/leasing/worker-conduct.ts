import type { ConnectionPools } from '@macbatch/connection';
import {
  hasManyErrors,
  type LeaseBudget,
  leaseBudget,
  NO_OUTCOMES,
  type OutcomeHistory,
  withOutcomes,
} from '@macbatch/core';
import { type Statement, statement } from '../database/statement.ts';
import { type AliveRow, aliveWorkers, type ConductRow, conductInJobs } from './conduct-statements.ts';
import type { JobQueue, QueuedJob, QueueOffer } from './job-queue.ts';

/** Errors of a worker that may come on top of those that were judged, before it is judged anew. */
const UNJUDGED_ERRORS = 8;
/** A worker that has been silent for longer is no witness any more: not asleep, but gone. */
const ASLEEP_SECONDS = 12 * 3600;
/** How long a doubted worker waits for one that could take some of the job, and for one that has. */
const VERDICT_SECONDS = { ofIdle: 300, ofBusy: 3600 };
/** For how long a task that failed here is left to others, by what the worker may be given. */
const LEFT_TO_OTHERS_SECONDS = { all: 60, one: 3600, none: 3600 };
/** How long what was read is good enough for a worker that waits. */
const FRESH_MS = 1000;
/** Jobs whose records one process remembers. */
const REMEMBERED = 10_000;

/** What a worker may be given of what waits. */
export interface JudgedJobs {
  readonly free: readonly QueuedJob[];
  /** Those of which it may have one task, to show that it can. */
  readonly proving: readonly QueuedJob[];
}

export interface Doubt {
  readonly worker: string;
  readonly jobId: string;
}

/** An open job in which something ended with an error. */
interface TroubledJob {
  readonly id: string;
  readonly jobType: string;
  readonly model: string;
}

interface Known {
  boot: string | null;
  /** The tally when it was last read. */
  ok: number;
  errors: number;
  record: OutcomeHistory;
  /** By the monotonic clock; null while the worker is in no doubt. */
  doubtedAt: number | null;
  leasedAt: number | null;
  /** When its tally last told of outcomes, or it was started anew. */
  newsAt: number;
  /** Nothing was heard of it since. */
  heardAt: number;
  offline: boolean;
}

/**
 * Who is given less because what it does ends in errors. Kept by no table: each control plane sees it in the
 * tallies, which it reads only where a job that waits has errors, or a worker has nothing to do.
 */
export class WorkerConduct {
  readonly #connections: ConnectionPools;
  readonly #queue: JobQueue;
  readonly #monotonicMs: () => number;
  readonly #inJobs: Statement<Record<string, never>, ConductRow>;
  readonly #aliveWorkers: Statement<Record<string, never>, AliveRow>;
  readonly #known = new Map<string, Map<string, Known>>();
  #troubled: readonly TroubledJob[] = [];
  #alive: readonly AliveRow[] = [];
  /** Which look at the queue it belongs to. */
  #judgedLook = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  constructor(connections: ConnectionPools, queue: JobQueue, monotonicMs: () => number) {
    this.#connections = connections;
    this.#queue = queue;
    this.#monotonicMs = monotonicMs;
    this.#inJobs = statement(conductInJobs);
    this.#aliveWorkers = statement(aliveWorkers);
  }

  /** What this worker may be given of these jobs of the queue, in their order. */
  async judged(worker: string, jobs: readonly QueuedJob[]): Promise<JudgedJobs> {
    if (jobs.every(({ errors }) => errors === 0)) return { free: jobs, proving: [] };
    if (this.#judgedLook < this.#queue.looks) await this.#look();
    const allowances = new Map(jobs.map((job) => [job, this.#leaseBudget(worker, job)]));
    return {
      free: jobs.filter((job) => allowances.get(job) === 'all'),
      proving: jobs.filter((job) => allowances.get(job) === 'one'),
    };
  }

  /**
   * What a worker offers without the kinds of work in which it is in doubt: of those it gets no copies. A second's
   * old look will do for a worker that has only waited since.
   */
  async trusted<Offer extends QueueOffer>(
    worker: string,
    offers: readonly Offer[],
    mayBeOld: boolean,
  ): Promise<Offer[]> {
    if (!mayBeOld || this.#monotonicMs() - this.#lookedAt >= FRESH_MS) await this.#look();
    return offers.filter(({ job_type, model }) =>
      this.#alike({ jobType: job_type, model }).every((job) => this.#ownAllowance(worker, job) === 'all'),
    );
  }

  /** Up to how many errors of the worker in this job what was judged holds; a claim looks at the tally again. */
  errorsAtMost(worker: string, jobId: string): number {
    return (this.#known.get(jobId)?.get(worker)?.errors ?? 0) + UNJUDGED_ERRORS;
  }

  /** How long a task of this job that the worker gave up with an error waits for others; 0 where there are none. */
  leftToOthersMs(worker: string, job: QueuedJob): number {
    if (job.errors === 0 || this.#others(worker, job).length === 0) return 0;
    return LEFT_TO_OTHERS_SECONDS[this.#leaseBudget(worker, job)] * 1000;
  }

  /** The worker was given some of a job. */
  granted(worker: string, jobId: string): void {
    const known = this.#known.get(jobId)?.get(worker);
    if (known !== undefined) known.leasedAt = this.#monotonicMs();
  }

  /** Those that are given less at the moment, as far as this process has looked. */
  doubts(): Doubt[] {
    return this.#troubled.flatMap((job) =>
      [...(this.#known.get(job.id)?.keys() ?? [])]
        .filter((worker) => this.#ownAllowance(worker, job) !== 'all')
        .map((worker) => ({ worker, jobId: job.id })),
    );
  }

  /** A worker that has done nothing of a job yet is judged by what it does in others of the same kind. */
  #leaseBudget(worker: string, job: QueuedJob): LeaseBudget {
    const own = this.#known.get(job.id)?.get(worker)?.record ?? NO_OUTCOMES;
    if (own.ok + own.errors > 0) return this.#ownAllowance(worker, job);
    const elsewhere = this.#alike(job).map((other) => this.#ownAllowance(worker, other));
    return elsewhere.find((each) => each !== 'all') ?? 'all';
  }

  #alike({ jobType, model }: Omit<TroubledJob, 'id'>): readonly TroubledJob[] {
    return this.#troubled.filter((job) => job.jobType === jobType && job.model === model);
  }

  #ownAllowance(worker: string, job: TroubledJob): LeaseBudget {
    const inJob = this.#known.get(job.id);
    const own = inJob?.get(worker);
    if (inJob === undefined || own === undefined || own.doubtedAt === null) return 'all';
    const now = this.#monotonicMs();
    const probationSeconds = (now - own.doubtedAt) / 1000;
    // Who sends no heartbeats can't be expected back.
    const here = ([id, other]: [string, Known]) =>
      id !== worker && other.boot !== null && !other.offline && now - other.heardAt < ASLEEP_SECONDS * 1000;
    return leaseBudget({
      own: own.record,
      others: [...inJob].filter(here).map(([, { record }]) => record),
      verdictPending: this.#others(worker, job).some(({ id }) => {
        const other = inJob.get(id);
        if (other === undefined || other.leasedAt === null) return probationSeconds < VERDICT_SECONDS.ofIdle;
        return other.record.ok + other.record.errors === 0 && probationSeconds < VERDICT_SECONDS.ofBusy;
      }),
      probationSeconds,
      secondsSinceLease: own.leasedAt === null ? probationSeconds : (now - own.leasedAt) / 1000,
      reportedSinceLease: own.leasedAt === null || own.newsAt > own.leasedAt,
    });
  }

  /** Other workers that are alive and could run the job. */
  #others(worker: string, { jobType, model }: TroubledJob): readonly AliveRow[] {
    return this.#alive.filter(
      ({ id, job_types, models }) => id !== worker && job_types.includes(jobType) && models.includes(model),
    );
  }

  /** Who asks at the same time shares the look. */
  async #look(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
  }

  async #read(): Promise<void> {
    const look = this.#queue.looks;
    const client = this.#connections.relaxed;
    const [rows, alive] = await Promise.all([
      this.#inJobs.run(client, {}),
      this.#aliveWorkers.run(client, {}),
    ]);
    if (this.#known.size > REMEMBERED) this.#known.clear();
    for (const row of rows) this.#note(row);
    const troubled = rows.map(({ job_id, job_type, model }) => ({ id: job_id, jobType: job_type, model }));
    this.#troubled = [...new Map(troubled.map((job) => [job.id, job])).values()];
    this.#alive = alive;
    this.#judgedLook = look;
    this.#lookedAt = this.#monotonicMs();
  }

  #note(row: ConductRow): void {
    const now = this.#monotonicMs();
    const inJob = this.#known.get(row.job_id) ?? new Map<string, Known>();
    this.#known.set(row.job_id, inJob);
    const before = inJob.get(row.worker_id);
    const since = before ?? { boot: row.boot_id, ok: 0, errors: 0, record: NO_OUTCOMES, doubtedAt: null };
    // It may have been started again to mend it: it is tried at once, and may not count on more than that.
    const known =
      since.boot === row.boot_id
        ? since
        : { ...since, record: { ...since.record, errorsInARow: 0 }, doubtedAt: null };
    const record = withOutcomes(
      known.record,
      Math.max(0, row.items_ok - since.ok),
      Math.max(0, row.errors - since.errors),
    );
    const leasedAt = row.rested_seconds === null ? null : now - row.rested_seconds * 1000;
    const isNews = known !== before || record !== known.record;
    inJob.set(row.worker_id, {
      boot: row.boot_id,
      ok: row.items_ok,
      errors: row.errors,
      record,
      doubtedAt: hasManyErrors(record) ? (known.doubtedAt ?? now) : null,
      newsAt: isNews ? now : before.newsAt,
      leasedAt: later(leasedAt, before?.leasedAt ?? null),
      heardAt: now - row.silent_seconds * 1000,
      offline: row.offline,
    });
  }
}

function later(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.max(one, other);
}
