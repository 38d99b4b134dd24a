import type { ConnectionPools } from '@macbatch/connection';
import { type JobOrder, type JobType, leaseSize, maxHeldItems, shareOfPoolRate } from '@macbatch/core';
import type { Copies } from '../copies/copies.ts';
import { type Statement, statement } from '../database/statement.ts';
import { type ClaimedRow, claim, type GivenRow } from './claim.ts';
import { type GrantedArguments, grantedTasks } from './holding-statements.ts';
import { Holdings } from './holdings.ts';
import { JobQueue, type QueuedJob } from './job-queue.ts';
import { leasedTasks } from './leased-tasks.ts';
import { PendingFloors } from './pending-floors.ts';
import { type Doubt, WorkerConduct } from './worker-conduct.ts';

/** Jobs that one claim looks at, most. */
const JOBS_A_CLAIM = 200;
/** Jobs that a claim tries one after the other, each with a lease of its own size. */
const JOBS_SIZED = 8;

export interface LeaseCall {
  readonly worker: string;
  readonly boot: string;
  /** Most tasks; null leaves it to the size of a lease by time. */
  readonly limit: number | null;
  /** Items that the worker runs at once, where the lease is to be sized by time. */
  readonly slots?: number | null;
  readonly offers: readonly {
    readonly job_type: JobType;
    readonly model: string;
    /** The worker's own pace; null where it does not know. */
    readonly itemsPerSecond?: number | null;
    /** Its model is loaded there now. */
    readonly loaded?: boolean;
    /** What loading it takes there, in seconds; null where that is not known. */
    readonly loadSeconds?: number | null;
  }[];
  readonly leaseMs: number;
  /** The same call found nothing a moment ago, and nobody has told of work since: what is remembered will do. */
  readonly again?: boolean;
  /** A copy of what another worker holds will do, where nothing is pending. */
  readonly copies?: boolean;
}

export interface LeasedTask {
  readonly taskId: string;
  readonly jobId: string;
  readonly attempt: number;
  readonly jobType: string;
  readonly model: string;
  readonly params: string;
  /** It is another's lease, of which these items are a copy. */
  readonly copy: boolean;
  readonly items: { readonly itemId: string; readonly payload: string }[];
}

export type ClaimArguments = {
  worker: string;
  boot: string;
  limit: number;
  leaseMs: number;
  jobs: string[];
  floors: string[];
  errorsAtMost: number[];
  leftToOthersMs: number[];
};

/** Tasks of a call that says neither how many nor how much it runs at once. */
const DEFAULT_LIMIT = 4;

/** Grants leases, and remembers where to look for pending tasks. */
export class Leaser {
  readonly #connections: ConnectionPools;
  readonly #claim: Statement<ClaimArguments, ClaimedRow>;
  readonly #granted: Statement<GrantedArguments, GivenRow>;
  readonly #queue: JobQueue;
  readonly #copies: Copies | null;
  readonly #conduct: WorkerConduct;
  readonly #holdings: Holdings;
  readonly #floors = new PendingFloors();
  readonly #monotonicMs: () => number;

  constructor(
    connections: ConnectionPools,
    monotonicMs: () => number,
    order: JobOrder,
    copies: Copies | null,
  ) {
    this.#copies = copies;
    this.#connections = connections;
    this.#claim = statement(claim);
    this.#granted = statement(grantedTasks);
    this.#queue = new JobQueue(connections, monotonicMs, order);
    this.#conduct = new WorkerConduct(connections, this.#queue, monotonicMs);
    this.#holdings = new Holdings(connections);
    this.#monotonicMs = monotonicMs;
  }

  /** Tasks went back to pending: the next claim looks from the start. */
  forget(): void {
    this.#floors.clear();
    this.#queue.forget();
  }

  /** There is a new job: the next claim looks at all of them. */
  expectWork(): void {
    this.#queue.forget();
  }

  async lease(call: LeaseCall): Promise<LeasedTask[]> {
    const tasks = await this.#pending(call);
    if (tasks.length > 0 || this.#copies === null || call.copies !== true) return tasks;
    const offers = await this.#conduct.trusted(call.worker, call.offers, call.again === true);
    return offers.length === 0 ? [] : this.#copies.grant({ ...call, offers });
  }

  /** Workers that are given less of a job, because of their errors. */
  doubts(): Doubt[] {
    return this.#conduct.doubts();
  }

  /** A worker has reported: whether it may be waiting until it holds less. */
  freed(worker: string): boolean {
    return this.#holdings.freed(worker);
  }

  async #pending(asked: LeaseCall): Promise<LeasedTask[]> {
    const sized = asked.slots != null;
    const room = await this.#holdings.room(asked.worker);
    if (room === 0) return [];
    const call = sized ? asked : { ...asked, limit: Math.min(asked.limit ?? DEFAULT_LIMIT, room) };
    const fresh = this.#queue.stale && this.#floors.empty;
    const { tasks, isProof } = await this.#grant(call, call.limit);
    const enough = sized || isProof ? 1 : (call.limit ?? DEFAULT_LIMIT);
    if (tasks.length >= enough || fresh) return tasks;
    if (call.again === true && !this.#queue.hasAny(call.offers)) return tasks;
    // What is remembered may be too old.
    this.forget();
    const limit = call.limit === null ? null : call.limit - tasks.length;
    return [...tasks, ...(await this.#grant(call, limit)).tasks];
  }

  /** `isProof`: a task by which the worker is to show that it can. */
  async #grant(
    call: LeaseCall,
    limit: number | null,
  ): Promise<{ readonly tasks: LeasedTask[]; readonly isProof: boolean }> {
    const jobs = await this.#queue.matching(call.offers);
    const { free, proving } = await this.#conduct.judged(call.worker, jobs);
    const tasks = await this.#grantFreely(call, free, limit);
    if (tasks.length > 0) return { tasks, isProof: false };
    return { tasks: await this.#run(call, proving, 1), isProof: true };
  }

  async #grantFreely(
    call: LeaseCall,
    jobs: readonly QueuedJob[],
    limit: number | null,
  ): Promise<LeasedTask[]> {
    if (call.slots == null) return this.#run(call, jobs, limit ?? DEFAULT_LIMIT);
    for (const job of jobs.slice(0, JOBS_SIZED)) {
      const pace = paceFor(job, call.offers);
      if (await this.#holdings.hasPlenty(call.worker, maxHeldItems(pace, call.slots))) return [];
      const tasks = await this.#run(call, [job], this.#sizeFor(pace, call.slots, job, limit));
      if (tasks.length > 0) return tasks;
    }
    return this.#run(call, jobs.slice(JOBS_SIZED), 1);
  }

  #sizeFor(itemsPerSecond: number | null, slots: number, job: QueuedJob, limit: number | null): number {
    return leaseSize({
      itemsPerSecond,
      slots,
      shardSize: job.shardSize,
      pendingItems: job.pendingTasks * job.shardSize,
      shareOfPoolRate: shareOfPoolRate(itemsPerSecond, this.#queue.paceOf(job)),
      leaseLimit: limit,
    });
  }

  async #run(call: LeaseCall, jobs: readonly QueuedJob[], limit: number): Promise<LeasedTask[]> {
    if (jobs.length === 0) return [];
    const tried = jobs.slice(0, JOBS_A_CLAIM);
    const looked = tried.map(({ id }) => id);
    const rows = await this.#claim.run(this.#connections.relaxed, {
      worker: call.worker,
      boot: call.boot,
      limit,
      leaseMs: call.leaseMs,
      jobs: looked,
      floors: this.#floors.of(looked, this.#monotonicMs()),
      errorsAtMost: looked.map((id) => this.#conduct.errorsAtMost(call.worker, id)),
      leftToOthersMs: tried.map((job) => this.#conduct.leftToOthersMs(call.worker, job)),
    });
    const tasks = await this.#asRecorded(call.worker, rows);
    for (const { jobId, taskId } of tasks) {
      this.#floors.claimed(jobId, BigInt(taskId));
      this.#conduct.granted(call.worker, jobId);
    }
    this.#holdings.granted(call.worker, tasks);
    return tasks;
  }

  /** The tasks that were claimed, without the items that got their outcome while the claim was under way. */
  async #asRecorded(worker: string, rows: readonly ClaimedRow[]): Promise<LeasedTask[]> {
    const tasks = leasedTasks(rows);
    const missing = new Map(rows.map((row) => [row.id, row.missing]));
    const outdated = tasks.filter(({ taskId, items }) => items.length > (missing.get(taskId) ?? 0));
    if (outdated.length === 0) return tasks;
    const again = leasedTasks(
      await this.#granted.run(this.#connections.relaxed, {
        worker,
        taskIds: outdated.map(({ taskId }) => taskId),
        attempts: outdated.map(({ attempt }) => attempt),
      }),
    );
    const now = new Map(again.map((task) => [task.taskId, task]));
    const old = new Set(outdated);
    return tasks.flatMap((task) => (old.has(task) ? (now.get(task.taskId) ?? []) : task));
  }
}

function paceFor(job: QueuedJob, offers: LeaseCall['offers']): number | null {
  const offer = offers.find((each) => each.job_type === job.jobType && each.model === job.model);
  return offer?.itemsPerSecond ?? null;
}
