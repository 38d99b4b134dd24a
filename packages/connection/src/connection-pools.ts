import { ConnectionPool } from './connection-pool.ts';
import { Database } from './database.ts';

/** Deadline of short work, in milliseconds. Work that takes longer will not end. */
const SHORT_WORK_MS = 30_000;
/**
 * Deadline of work over a whole job, in milliseconds. An upload may take longer, but must not pause for this long.
 */
export const LONG_WORK_MS = 5 * 60_000;

/** Added to the deadline of work, so that a running control plane ends its own idle transactions first. */
const IDLE_GRACE_MS = 10_000;

export interface ConnectionPoolsOptions {
  /** Names one host or several: see docs/postgres.md. */
  readonly url: string;
  /**
   * Most connections for each kind of short work.
   *
   * @default 10
   */
  readonly connections?: number;
  /** Whether statements are prepared. By default they are, unless there is a pooler. */
  readonly prepare?: boolean | undefined;
  /**
   * How long short work may take, in milliseconds.
   *
   * @default 30_000
   */
  readonly statementMs?: number;
}

export interface ConnectionPools {
  readonly database: Database;
  /** Short work that is on disk when it is answered. */
  readonly durable: ConnectionPool;
  /**
   * Short work that is answered before it is on disk, for leases and heartbeats. When the database crashes and loses
   * a lease, its task is pending again, and the next claim repairs that. A result must never be lost.
   */
  readonly relaxed: ConnectionPool;
  /** Submissions. Separate, because an upload keeps its connection to the end and other work must not wait for it. */
  readonly uploads: ConnectionPool;
  /** Durable work over a whole job. */
  readonly long: ConnectionPool;
  /** Most connections that all of these open together. */
  readonly maxConnections: number;
  close(): Promise<void>;
}

/** Opens a connection pool for each kind of work. */
export function openConnectionPools(options: ConnectionPoolsOptions): ConnectionPools {
  const database = new Database(options.url, options.prepare);
  const max = options.connections ?? 10;
  const statementMs = options.statementMs ?? SHORT_WORK_MS;
  // Set explicitly: the server's default may differ.
  const durably = { synchronous_commit: 'on' };
  const pool = (
    applicationName: string,
    maxConnections: number,
    deadlineMs: number,
    settings: Record<string, string>,
  ) => {
    // A control plane that is killed or cut off in a transaction must not keep its locks.
    const idle = { idle_in_transaction_session_timeout: `${deadlineMs + IDLE_GRACE_MS}` };
    return new ConnectionPool(database, {
      applicationName,
      settings: { ...idle, ...settings },
      maxConnections,
      deadlineMs,
    });
  };
  const durable = pool('macbatch', max, statementMs, { ...durably, statement_timeout: `${statementMs}` });
  const relaxed = pool('macbatch-lease', max, statementMs, {
    synchronous_commit: 'off',
    statement_timeout: `${statementMs}`,
  });
  // The best plan depends on the job. A plan that was made for a small job could take hours for a large one.
  const wholeJob = { ...durably, plan_cache_mode: 'force_custom_plan' };
  // An upload's COPY is one statement, and lasts as long as the client sends items.
  const uploads = pool('macbatch-upload', max, LONG_WORK_MS, { ...wholeJob, statement_timeout: '0' });
  const long = pool('macbatch-long', Math.min(4, max), LONG_WORK_MS, {
    ...wholeJob,
    statement_timeout: `${LONG_WORK_MS}`,
  });
  return {
    database,
    durable,
    relaxed,
    uploads,
    long,
    maxConnections: max * 3 + Math.min(4, max) + 1, // one more listens for notifications
    async close() {
      await Promise.all([durable, relaxed, uploads, long].map((each) => each.close()));
    },
  };
}
