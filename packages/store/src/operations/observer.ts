import type { ConnectionPools } from '@macbatch/connection';
import { isAlive } from '@macbatch/core';
import { type Statement, statement } from '../database/statement.ts';
import {
  type BootCountRow,
  countBoots,
  type DatabaseRow,
  databaseClock,
  databaseView,
  type PulseRow,
  pulse,
  type SeenRow,
  seenWorkers,
} from './observe-statements.ts';

/** How the whole pool is at one moment. Counts of what is over include jobs that have been pruned. */
export interface Pulse {
  readonly unfinishedJobs: number;
  /** Since its submission; null where every job has ended. */
  readonly oldestJobSeconds: number | null;
  /** Of the unfinished jobs. */
  readonly tasks: {
    readonly pending: number;
    readonly leased: number;
    readonly done: number;
    readonly failed: number;
  };
  /** Since it was granted; null where none is held. */
  readonly oldestLeaseSeconds: number | null;
  /** Leases that have ended and that nobody has taken back yet. */
  readonly overdueLeases: number;
  readonly leasesGranted: number;
  readonly leasesExpired: number;
  readonly tasksDone: number;
  readonly tasksFailed: number;
  readonly itemsOk: number;
  /** These two go down where a person sends failed work back, and where jobs are pruned. */
  readonly itemsError: number;
  readonly itemsFailed: number;
  readonly workers: { readonly alive: number; readonly silent: number; readonly offline: number };
  readonly boots: readonly BootCountRow[];
}

/** How the database server is set up, as far as it matters here. */
export interface DatabaseView {
  readonly serverVersion: string;
  readonly synchronousCommit: string;
  readonly fsync: boolean;
  readonly fullPageWrites: boolean;
  readonly autovacuum: boolean;
  readonly maxConnections: number;
  /** Kept for superusers and the like. */
  readonly reservedConnections: number;
  readonly usedConnections: number;
  /** What one control plane opens at most. */
  readonly connectionsEach: number;
  readonly bytes: number;
}

type None = Record<string, never>;

/** Looks at the pool and its database, and changes nothing. */
export class Observer {
  readonly #connections: ConnectionPools;
  readonly #pulse: Statement<None, PulseRow>;
  readonly #seen: Statement<None, SeenRow>;
  readonly #boots: Statement<None, BootCountRow>;
  readonly #clock: Statement<None, { now: Date }>;
  readonly #database: Statement<None, DatabaseRow>;

  constructor(connections: ConnectionPools) {
    this.#connections = connections;
    this.#pulse = statement(pulse);
    this.#seen = statement(seenWorkers);
    this.#boots = statement(countBoots);
    this.#clock = statement(databaseClock);
    this.#database = statement(databaseView);
  }

  async now(): Promise<Date> {
    const [row] = await this.#clock.run(this.#connections.durable, {});
    if (row === undefined) throw new Error('the clock answered nothing');
    return row.now;
  }

  async pulse(): Promise<Pulse> {
    const client = this.#connections.durable;
    const [[row], seen, boots] = await Promise.all([
      this.#pulse.run(client, {}),
      this.#seen.run(client, {}),
      this.#boots.run(client, {}),
    ]);
    if (row === undefined) throw new Error('the pulse answered nothing');
    return {
      unfinishedJobs: row.unfinished_jobs,
      oldestJobSeconds: row.oldest_job_seconds,
      tasks: { pending: row.pending, leased: row.leased, done: row.done, failed: row.failed },
      oldestLeaseSeconds: row.oldest_lease_seconds,
      overdueLeases: row.overdue_leases,
      leasesGranted: row.leases_granted,
      leasesExpired: row.leases_expired,
      tasksDone: row.tasks_done,
      tasksFailed: row.tasks_failed,
      itemsOk: row.items_ok,
      itemsError: row.items_error,
      itemsFailed: row.items_failed,
      workers: livenessOf(seen),
      boots,
    };
  }

  async database(): Promise<DatabaseView> {
    const [row] = await this.#database.run(this.#connections.durable, {});
    if (row === undefined) throw new Error('the settings answered nothing');
    return {
      serverVersion: row.server_version,
      synchronousCommit: row.synchronous_commit,
      fsync: row.fsync === 'on',
      fullPageWrites: row.full_page_writes === 'on',
      autovacuum: row.autovacuum === 'on',
      maxConnections: row.max_connections,
      reservedConnections: row.reserved_connections,
      usedConnections: row.used_connections,
      connectionsEach: this.#connections.most,
      bytes: row.bytes,
    };
  }
}

function livenessOf(seen: readonly SeenRow[]): Pulse['workers'] {
  const workers = { alive: 0, silent: 0, offline: 0 };
  for (const { last_heartbeat_at, offline, now } of seen) {
    const alive = isAlive({ lastHeartbeatAt: last_heartbeat_at.getTime(), offline }, now.getTime());
    workers[offline ? 'offline' : alive ? 'alive' : 'silent'] += 1;
  }
  return workers;
}
