import type postgres from 'postgres';
import { Pool as TarnPool, TimeoutError } from 'tarn';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';

/** Added to the server's time-out, so that the server's error usually arrives before ours. */
const GRACE_MS = 2000;
/** How long an idle connection stays open. */
const IDLE_MS = 60_000;
/** How long `close` waits for running work. */
const CLOSE_MS = 5000;
/** Lower limit of the deadline for getting a connection: a busy machine needs a while to open one. */
const MIN_ACQUIRE_MS = 5000;
/** Connections are replaced after this time: host names and certificates change, and the server's memory grows. */
const LIFETIME_MS = 45 * 60_000;
/** Makes the server detect that this process has ended, and release its locks. */
const KEEP_ALIVE = { tcp_keepalives_idle: '30', tcp_keepalives_interval: '10', tcp_keepalives_count: '3' };

export interface ConnectionPoolOptions {
  readonly applicationName: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly maxConnections: number;
  /** Deadline of one piece of work. */
  readonly deadlineMs: number;
}

/** Postgres did not answer in time. It may still carry out the statement. */
class DatabaseTimeout extends Error {
  override readonly name = 'DatabaseTimeout';
  readonly code = 'DATABASE_TIMEOUT';
}

/** Runs statements on a connection. `alive` reports progress and restarts the deadline. */
export type Work<Result> = (sql: postgres.Sql, alive: () => void) => Promise<Result>;

interface PooledConnection {
  readonly connection: Connection;
  readonly replaceAtMs: number;
}

/**
 * A connection pool for one kind of work. One caller at a time uses a connection. Every wait has a deadline, and a
 * connection whose work missed its deadline is destroyed. Why postgres.js needs this: docs/decisions/0006.
 */
export class ConnectionPool {
  readonly #tarn: TarnPool<PooledConnection>;
  readonly #deadlineMs: number;
  readonly #open = new Set<Connection>();
  #closed = false;

  constructor(
    database: Database,
    { applicationName, settings, maxConnections, deadlineMs }: ConnectionPoolOptions,
  ) {
    this.#deadlineMs = deadlineMs;
    this.#tarn = new TarnPool<PooledConnection>({
      min: 0,
      max: maxConnections,
      idleTimeoutMillis: IDLE_MS,
      acquireTimeoutMillis: Math.max(deadlineMs, MIN_ACQUIRE_MS),
      // No deadline here: each attempt to connect has one, and there may be many hosts.
      createTimeoutMillis: 2_000_000_000,
      propagateCreateError: true,
      create: async () => {
        const { connection } = await database.connect({
          applicationName,
          settings: { ...KEEP_ALIVE, ...settings },
        });
        this.#open.add(connection);
        return { connection, replaceAtMs: performance.now() + LIFETIME_MS * (0.7 + 0.3 * Math.random()) };
      },
      validate: ({ connection, replaceAtMs }) => !connection.lost && performance.now() < replaceAtMs,
      destroy: ({ connection }) => {
        this.#open.delete(connection);
        return connection.end();
      },
    });
  }

  /** Runs statements that need no transaction. */
  run<Result>(work: Work<Result>): Promise<Result> {
    return this.#with((connection, alive) => connection.run((sql) => work(sql, alive)));
  }

  /** Runs statements in one transaction. Commits when `work` resolves, and rolls back when it rejects. */
  transaction<Result>(work: Work<Result>): Promise<Result> {
    return this.#with((connection, alive) => connection.transaction((sql) => work(sql, alive)));
  }

  /** Closes all connections. Waits up to 5 s for running work. */
  async close(): Promise<void> {
    this.#closed = true;
    const timer = setTimeout(() => {
      for (const connection of this.#open) connection.destroy();
    }, CLOSE_MS);
    await this.#tarn.destroy();
    clearTimeout(timer);
  }

  async #with<Result>(use: (connection: Connection, alive: () => void) => Promise<Result>): Promise<Result> {
    if (this.#closed) throw Object.assign(new Error('The store is closed.'), { code: 'CONNECTION_ENDED' });
    const pooled = await this.#tarn.acquire().promise.catch((error: unknown) => {
      throw error instanceof TimeoutError ? timeoutError(error) : error;
    });
    const { connection } = pooled;
    const deadline = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      deadline.reject(timeoutError());
      connection.destroy();
    }, this.#deadlineMs + GRACE_MS);
    try {
      return await Promise.race([deadline.promise, use(connection, () => timer.refresh())]);
    } finally {
      clearTimeout(timer);
      this.#tarn.release(pooled);
    }
  }
}

function timeoutError(cause?: Error): DatabaseTimeout {
  return new DatabaseTimeout('Postgres did not answer in time.', { cause });
}
