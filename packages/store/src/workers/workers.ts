import type { ConnectionPools } from '@macbatch/connection';
import { isAlive, type JobType, type WorkKind } from '@macbatch/core';
import { type Statement, statement } from '../database/statement.ts';
import type { LeaseName } from '../leasing/held-leases.ts';
import { heartbeat, heldByBoots, hostOf, listWorkers, type WorkerRow } from './worker-statements.ts';

export interface WorkerRate {
  readonly job_type: string;
  readonly model: string;
  readonly items_per_second: number;
  /** Its model is loaded. */
  readonly loaded?: boolean | undefined;
}

export interface WorkerAdvert {
  readonly worker: string;
  readonly boot: string;
  readonly hostname: string;
  readonly jobTypes: readonly JobType[];
  readonly models: readonly string[];
  readonly concurrency: number;
  readonly leaseLimit: number;
  /** How fast it is at each kind of work, as it says. */
  readonly rates?: readonly WorkerRate[];
  readonly offline: boolean;
}

/** What a worker says of itself. */
export interface Heartbeat extends WorkerAdvert {
  /** Its earlier boots as its disk knows them; null where it does not tell. */
  readonly formerBoots: readonly string[] | null;
}

/** The database's clock, or the host that works under the same worker id. */
export type Admission = { readonly now: Date } | { readonly inUseBy: string };

export interface Worker extends Omit<WorkerAdvert, 'jobTypes' | 'rates'> {
  readonly rates: readonly WorkerRate[];
  readonly jobTypes: readonly string[];
  readonly alive: boolean;
  readonly firstSeenAt: Date;
  readonly lastHeartbeatAt: Date;
  readonly heartbeatAgeSeconds: number;
  readonly tasksLeased: number;
  readonly tasksDone: number;
  readonly tasksFailed: number;
  /** What it last had a lease for. */
  readonly lastRan: WorkKind | null;
}

type AdvertArguments = {
  worker: string;
  boot: string;
  hostname: string;
  jobTypes: string[];
  models: string[];
  concurrency: number;
  leaseLimit: number;
  rates: string;
  offline: boolean;
  formerBoots: string[] | null;
};

/** The workers that have said what they are. */
export class Workers {
  readonly #connections: ConnectionPools;
  readonly #heartbeat: Statement<AdvertArguments, { now: Date }>;
  readonly #hostOf: Statement<{ worker: string }, { hostname: string }>;
  readonly #heldByBoots: Statement<{ worker: string; boots: string[] }, { task_id: string; attempt: number }>;
  readonly #list: Statement<Record<string, never>, WorkerRow>;
  #deployment: string | null = null;

  constructor(connections: ConnectionPools) {
    this.#connections = connections;
    this.#heartbeat = statement(heartbeat);
    this.#hostOf = statement(hostOf);
    this.#heldByBoots = statement(heldByBoots);
    this.#list = statement(listWorkers);
  }

  /** Registers or refreshes a worker, unless another machine works under its id. */
  async heartbeat(said: Heartbeat): Promise<Admission> {
    for (;;) {
      const [row] = await this.#heartbeat.run(this.#connections.relaxed, {
        ...said,
        jobTypes: [...said.jobTypes],
        models: [...said.models],
        rates: JSON.stringify(said.rates ?? []),
        formerBoots: said.formerBoots === null ? null : [...said.formerBoots],
      });
      if (row !== undefined) return { now: row.now };
      const [other] = await this.#hostOf.run(this.#connections.durable, { worker: said.worker });
      if (other !== undefined) return { inUseBy: other.hostname };
    }
  }

  /** The leases that these boots of a worker hold still. */
  async heldByBoots(worker: string, boots: readonly string[]): Promise<LeaseName[]> {
    const rows = await this.#heldByBoots.run(this.#connections.durable, { worker, boots: [...boots] });
    return rows.map(({ task_id, attempt }) => ({ taskId: task_id, attempt }));
  }

  /** Asked of the database once. */
  async deploymentId(): Promise<string> {
    if (this.#deployment !== null) return this.#deployment;
    const [row] = await this.#connections.durable.run(
      (sql) => sql<{ id: string }[]>`select id from deployment`,
    );
    if (row === undefined) throw new Error('the deployment table is empty');
    this.#deployment = row.id;
    return row.id;
  }

  async list(): Promise<Worker[]> {
    const rows = await this.#list.run(this.#connections.durable, {});
    return rows.map((row) => ({
      worker: row.id,
      boot: row.boot_id,
      hostname: row.hostname,
      jobTypes: row.job_types,
      models: row.models,
      concurrency: row.concurrency,
      leaseLimit: row.lease_limit,
      rates: JSON.parse(row.rates) as WorkerRate[],
      offline: row.offline,
      alive: isAlive(
        { lastHeartbeatAt: row.last_heartbeat_at.getTime(), offline: row.offline },
        row.now.getTime(),
      ),
      firstSeenAt: row.first_seen_at,
      lastHeartbeatAt: row.last_heartbeat_at,
      heartbeatAgeSeconds: Math.max(0, row.now.getTime() - row.last_heartbeat_at.getTime()) / 1000,
      tasksLeased: row.tasks_leased,
      tasksDone: row.tasks_done,
      tasksFailed: row.tasks_failed,
      lastRan:
        row.last_job_type === null || row.last_model === null
          ? null
          : { jobType: row.last_job_type, model: row.last_model },
    }));
  }
}
