import type { JobType } from '@macbatch/core';
import type { Connections } from './connections.ts';
import { PendingFloors } from './pending-floors.ts';
import { type Statement, statement } from './statement.ts';
import { type ClaimedRow, claim } from './statements/claim.ts';

export interface LeaseCall {
  readonly worker: string;
  readonly boot: string;
  readonly limit: number;
  readonly offers: readonly { readonly job_type: JobType; readonly model: string }[];
  readonly leaseMs: number;
}

export interface LeasedTask {
  readonly taskId: string;
  readonly jobId: string;
  readonly attempt: number;
  readonly jobType: string;
  readonly model: string;
  readonly params: string;
  readonly items: { readonly itemId: string; readonly payload: string }[];
}

export type ClaimArguments = {
  worker: string;
  boot: string;
  limit: number;
  leaseMs: number;
  jobTypes: string[];
  models: string[];
  floorJobs: string[];
  floors: string[];
};

/** Grants leases, and remembers where to look for pending tasks. */
export class Leaser {
  readonly #connections: Connections;
  readonly #claim: Statement<ClaimArguments, ClaimedRow>;
  readonly #floors = new PendingFloors();
  readonly #monotonicMs: () => number;

  constructor(connections: Connections, monotonicMs: () => number) {
    this.#connections = connections;
    this.#claim = statement(claim);
    this.#monotonicMs = monotonicMs;
  }

  /** Tasks went back to pending: the next claim looks from the start. */
  forget(): void {
    this.#floors.clear();
  }

  async lease(call: LeaseCall): Promise<LeasedTask[]> {
    const tasks = await this.#run(call, call.limit);
    // Fewer than asked for may only mean that some stand below what is remembered.
    if (tasks.length < call.limit && !this.#floors.empty) {
      this.#floors.clear();
      tasks.push(...(await this.#run(call, call.limit - tasks.length)));
    }
    return tasks;
  }

  async #run(call: LeaseCall, limit: number): Promise<LeasedTask[]> {
    const { jobs, floors } = this.#floors.at(this.#monotonicMs());
    const rows = await this.#claim.run(this.#connections.relaxed, {
      worker: call.worker,
      boot: call.boot,
      limit,
      leaseMs: call.leaseMs,
      jobTypes: call.offers.map((offer) => offer.job_type),
      models: call.offers.map((offer) => offer.model),
      floorJobs: jobs,
      floors,
    });
    const tasks: LeasedTask[] = [];
    for (const row of rows) {
      let task = tasks.at(-1);
      if (task?.taskId !== row.id) {
        task = {
          taskId: row.id,
          jobId: row.job_id,
          attempt: row.attempts,
          jobType: row.job_type,
          model: row.model,
          params: row.params,
          items: [],
        };
        tasks.push(task);
        this.#floors.claimed(row.job_id, BigInt(row.id));
      }
      if (row.item_id !== null && row.payload !== null)
        task.items.push({ itemId: row.item_id, payload: row.payload });
    }
    return tasks;
  }
}
