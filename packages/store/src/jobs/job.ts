import type { ConnectionPools } from '@macbatch/connection';
import {
  JOB_TYPES,
  type JobState,
  type JobType,
  jobState,
  offersWork,
  RETRY_POLICIES,
  type RetryOn,
} from '@macbatch/core';
import { type Statement, statement } from '../database/statement.ts';
import { onceMore } from '../database/transient.ts';
import { type AuditRow, auditJob } from '../operations/audit-job.ts';
import type { ModelBuild } from '../reporting/model-ids.ts';
import { cancelJob, flagCancelled } from './cancel.ts';
import {
  type AdvertRow,
  aliveAdverts,
  closeJobs,
  fillRepeated,
  type JobRow,
  type JobWorkerRow,
  listJobs,
  lockOpenJobs,
  readJob,
  readJobModels,
  readJobWorkers,
} from './job-statements.ts';
import { lockRetriable, type RetriedRow, retry } from './retry.ts';

/** Tasks that one statement flags when a job is cancelled. */
const FLAG_LIMIT = 5000;

export interface Job {
  readonly id: string;
  /** The group of keys whose job it is; empty where nobody needs a key. */
  readonly owner: string;
  readonly state: JobState;
  readonly jobType: JobType;
  readonly model: string;
  /** JSON text. */
  readonly params: string;
  readonly shardSize: number;
  readonly retryOn: RetryOn;
  readonly priority: number;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly items: {
    readonly total: number;
    readonly ok: number;
    readonly error: number;
    readonly failed: number;
    readonly open: number;
  };
  /** Items with an outcome of an earlier job, and items that repeat another of this one. */
  readonly reused: number;
  readonly repeated: number;
  readonly tasks: {
    readonly total: number;
    readonly pending: number;
    readonly leased: number;
    readonly done: number;
    readonly failed: number;
  };
  readonly leasesGranted: number;
  readonly leaseExpiredEvents: number;
}

export interface JobWorker {
  readonly workerId: string;
  readonly leases: number;
  readonly tasksDone: number;
  readonly tasksFailed: number;
  readonly itemsOk: number;
  readonly itemsError: number;
  readonly firstLeaseAt: Date;
  readonly lastReportAt: Date;
}

export interface JobDetail extends Job {
  readonly modelsUsed: readonly ModelBuild[];
  /** It has work left that no worker which is alive offers to do. */
  readonly noRunner: boolean;
  readonly workers: readonly JobWorker[];
}

export interface JobPage {
  readonly owner: string | null;
  readonly before: string | null;
  readonly limit: number;
}

/** Reads jobs, and what a person does to one. */
export class Jobs {
  readonly #connections: ConnectionPools;
  readonly #read: Statement<{ job: string }, JobRow>;
  readonly #list: Statement<{ owner: string | null; before: string | null; limit: number }, JobRow>;
  readonly #workers: Statement<{ job: string }, JobWorkerRow>;
  readonly #adverts: Statement<Record<string, never>, AdvertRow>;
  readonly #models: Statement<{ job: string }, ModelBuild>;
  readonly #lockOpen: Statement<{ jobs: string[] }, unknown>;
  readonly #close: Statement<{ jobs: string[] }, { id: string; finished_at: Date }>;
  readonly #fill: Statement<{ jobs: string[] }, { filled: number }>;
  readonly #cancel: Statement<{ job: string }, never>;
  readonly #flag: Statement<{ job: string; limit: number }, unknown>;
  readonly #audit: Statement<{ job: string }, AuditRow>;
  readonly #lockRetriable: Statement<{ job: string; items: boolean }, unknown>;
  readonly #retry: Statement<{ job: string; items: boolean }, RetriedRow>;

  constructor(connections: ConnectionPools) {
    this.#connections = connections;
    this.#read = statement(readJob);
    this.#list = statement(listJobs);
    this.#workers = statement(readJobWorkers);
    this.#adverts = statement(aliveAdverts);
    this.#models = statement(readJobModels);
    this.#lockOpen = statement(lockOpenJobs);
    this.#close = statement(closeJobs);
    this.#fill = statement(fillRepeated);
    this.#cancel = statement(cancelJob);
    this.#flag = statement(flagCancelled);
    this.#audit = statement(auditJob);
    this.#lockRetriable = statement(lockRetriable);
    this.#retry = statement(retry);
  }

  async read(id: string): Promise<JobDetail | null> {
    const client = this.#connections.durable;
    const [found] = await this.#read.run(client, { job: id });
    if (found === undefined) return null;
    const [job] = await this.#closed([jobOf(found)]);
    if (job === undefined) return null;
    // After the counts, so that who did what is never missing from them.
    const open = job.state === 'queued' || job.state === 'running';
    const [workers, modelsUsed, adverts] = await Promise.all([
      this.#workers.run(client, { job: id }),
      this.#models.run(client, { job: id }),
      open ? this.#adverts.run(client, {}) : [],
    ]);
    return {
      ...job,
      noRunner:
        open && !adverts.some(({ job_types: jobTypes, models }) => offersWork({ jobTypes, models }, job)),
      modelsUsed: modelsUsed.map(({ name, digest }) => ({ name, digest })),
      workers: workers.map((worker) => ({
        workerId: worker.worker_id,
        leases: worker.leases_granted,
        tasksDone: worker.tasks_done,
        tasksFailed: worker.tasks_failed,
        itemsOk: worker.items_ok,
        itemsError: worker.items_error,
        firstLeaseAt: worker.first_at,
        lastReportAt: worker.last_at,
      })),
    };
  }

  /** Newest first, from before the job `before` on; of one owner, or of all with null. */
  async list(page: JobPage): Promise<Job[]> {
    const rows = await this.#list.run(this.#connections.durable, { ...page });
    return this.#closed(rows.map(jobOf));
  }

  /** Writes down the end of those of these jobs that have ended. */
  async close(ids: readonly string[]): Promise<Map<string, Date>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#connections.long.transaction(async (tx) => {
      await this.#lockOpen.run(tx, { jobs: [...ids] });
      await this.#fill.run(tx, { jobs: [...ids] });
      return this.#close.run(tx, { jobs: [...ids] });
    });
    return new Map(rows.map((row) => [row.id, row.finished_at]));
  }

  /** Cancelling again, or cancelling a job that has ended, changes nothing. */
  async cancel(id: string): Promise<void> {
    await this.close([id]); // it may have ended without anybody having looked
    await this.#cancel.run(this.#connections.durable, { job: id });
    const job = await this.#read.run(this.#connections.durable, { job: id });
    if (job[0]?.cancelled_at == null) return;
    for (;;) {
      const flagged = await this.#flag.run(this.#connections.durable, { job: id, limit: FLAG_LIMIT });
      if (flagged.length < FLAG_LIMIT) return;
    }
  }

  /** What the primary keys make impossible, counted without trusting them. */
  async audit(id: string): Promise<AuditRow> {
    const [row] = await this.#audit.run(this.#connections.long, { job: id });
    if (row === undefined) throw new Error('the audit answered nothing');
    return row;
  }

  async retry(id: string, options: { readonly items: boolean }): Promise<RetriedRow> {
    const args = { job: id, items: options.items };
    const [row] = await onceMore(() =>
      this.#connections.long.transaction(async (tx) => {
        await this.#lockRetriable.run(tx, args);
        return this.#retry.run(tx, args);
      }),
    );
    return row ?? { tasks: 0, items: 0 };
  }

  async #closed(jobs: Job[]): Promise<Job[]> {
    const ended = jobs.filter(
      (job) => job.finishedAt === null && (job.state === 'done' || job.state === 'failed'),
    );
    if (ended.length === 0) return jobs;
    await this.close(ended.map((job) => job.id));
    // Closing also gives repeated items their outcome, so the counts are read again.
    const again = await Promise.all(
      ended.map((job) => this.#read.run(this.#connections.durable, { job: job.id })),
    );
    const closed = new Map(again.flatMap((rows) => rows.map((row) => [row.id, jobOf(row)])));
    return jobs.map((job) => closed.get(job.id) ?? job);
  }
}

function jobOf(row: JobRow): Job {
  const tasks = { pending: row.pending, leased: row.leased, done: row.done, failed: row.failed };
  const cancelled = row.cancelled_at !== null;
  return {
    id: row.id,
    owner: row.owner,
    state: jobState({ cancelled, tasks, leasesGranted: row.leases_granted }),
    jobType: known(JOB_TYPES, row.job_type),
    model: row.model,
    params: row.params,
    shardSize: row.shard_size,
    retryOn: known(RETRY_POLICIES, row.retry_on),
    priority: row.priority,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    cancelledAt: row.cancelled_at,
    items: {
      total: row.item_count,
      ok: row.items_ok,
      error: row.items_error,
      failed: row.items_failed,
      open: row.item_count - row.items_ok - row.items_error - row.items_failed,
    },
    reused: row.reused_count,
    repeated: row.repeated_count,
    tasks: { total: row.task_count, ...tasks },
    leasesGranted: row.leases_granted,
    leaseExpiredEvents: row.lease_expired_events,
  };
}

function known<Value extends string>(values: readonly Value[], text: string): Value {
  const value = values.find((each) => each === text);
  if (value === undefined) throw new TypeError(`a job holds ${text}, which this version does not know`);
  return value;
}
