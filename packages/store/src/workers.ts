import { isAlive, type JobType } from '@macbatch/core';
import type { Connections } from './connections.ts';
import { type Statement, statement } from './statement.ts';
import { heartbeat, listWorkers, type WorkerRow } from './statements/worker.ts';

export interface WorkerRate {
  readonly job_type: string;
  readonly model: string;
  readonly items_per_second: number;
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

export interface Worker extends Omit<WorkerAdvert, 'jobTypes' | 'rates'> {
  readonly rates: readonly WorkerRate[];
  readonly jobTypes: readonly string[];
  readonly alive: boolean;
  readonly firstSeenAt: Date;
  readonly lastHeartbeatAt: Date;
  readonly tasksLeased: number;
  readonly tasksDone: number;
  readonly tasksFailed: number;
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
};

/** The workers that have said what they are. */
export class Workers {
  readonly #connections: Connections;
  readonly #heartbeat: Statement<AdvertArguments, { now: Date }>;
  readonly #list: Statement<Record<string, never>, WorkerRow>;
  #deployment: string | null = null;

  constructor(connections: Connections) {
    this.#connections = connections;
    this.#heartbeat = statement(heartbeat);
    this.#list = statement(listWorkers);
  }

  /** Registers or refreshes a worker; answers with the database's clock. */
  async heartbeat(advert: WorkerAdvert): Promise<Date> {
    const [row] = await this.#heartbeat.run(this.#connections.relaxed, {
      ...advert,
      jobTypes: [...advert.jobTypes],
      models: [...advert.models],
      rates: JSON.stringify(advert.rates ?? []),
    });
    if (row === undefined) throw new Error('the heartbeat answered nothing');
    return row.now;
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
      tasksLeased: row.tasks_leased,
      tasksDone: row.tasks_done,
      tasksFailed: row.tasks_failed,
    }));
  }
}
