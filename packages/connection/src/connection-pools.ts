import { ConnectionPool } from './connection-pool.ts';
import { Database } from './database.ts';

/** Short work: what takes longer than this is not going to end. */
const STATEMENT_MS = 30_000;
/** Work over a whole job; an upload may take any time, but not pause for longer. */
const LONG_MS = 5 * 60_000;

export interface ConnectionPoolsOptions {
  /** One host or several; see docs/postgres.md. */
  readonly url: string;
  /** Most connections for each of the kinds of short work. */
  readonly connections?: number;
  /** Whether statements may be prepared; by default unless there is a pooler. */
  readonly prepare?: boolean | undefined;
  /** How long short work may take, in milliseconds; 30 s by default. */
  readonly statementMs?: number;
}

export interface ConnectionPools {
  readonly database: Database;
  /** Durable work: what it answers has been written to disk. */
  readonly durable: ConnectionPool;
  /**
   * Leases: acknowledged before they are on disk. A lease that a crash of the database loses is a task
   * that is pending again, which the next claim repairs; a result must never be lost like that.
   */
  readonly relaxed: ConnectionPool;
  /** Submissions: an upload holds its connection for as long as it takes, which must keep nobody else waiting. */
  readonly uploads: ConnectionPool;
  /** Durable work over a whole job. */
  readonly long: ConnectionPool;
  /** ConnectionPools that this store opens at most. */
  readonly most: number;
  close(): Promise<void>;
}

/** Opens the pools of a store. */
export function openConnectionPools(options: ConnectionPoolsOptions): ConnectionPools {
  const database = new Database(options.url, options.prepare);
  const max = options.connections ?? 10;
  const statementMs = options.statementMs ?? STATEMENT_MS;
  // Said outright: the server's default may be another.
  const durably = { synchronous_commit: 'on' };
  const pool = (applicationName: string, size: number, ms: number, settings: Record<string, string>) =>
    new ConnectionPool(database, { applicationName, settings, max: size, ms });
  const durable = pool('macbatch', max, statementMs, { ...durably, statement_timeout: `${statementMs}` });
  const relaxed = pool('macbatch-lease', max, statementMs, {
    synchronous_commit: 'off',
    statement_timeout: `${statementMs}`,
  });
  // Its COPY is one statement, however long the client takes to send the items.
  const uploads = pool('macbatch-upload', max, LONG_MS, { ...durably, statement_timeout: '0' });
  const long = pool('macbatch-long', Math.min(4, max), LONG_MS, {
    ...durably,
    statement_timeout: `${LONG_MS}`,
  });
  return {
    database,
    durable,
    relaxed,
    uploads,
    long,
    most: max * 3 + Math.min(4, max) + 1, // one listens for work
    async close() {
      await Promise.all([durable, relaxed, uploads, long].map((each) => each.close()));
    },
  };
}
