import type postgres from 'postgres';
import { Pool as TarnPool, TimeoutError } from 'tarn';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';

/** How much longer we wait than the server does: mostly the server's own answer comes first. */
const GRACE_MS = 2000;
const IDLE_MS = 60_000;
const CLOSE_MS = 5000;
/** The least that a caller waits for a connection: making one takes a while on a busy machine. */
const LEAST_WAIT_MS = 5000;
/** A connection is not kept for ever: names, certificates and the server's memory change. */
const LIFETIME_MS = 45 * 60_000;
/** A server notices by itself that we are gone, and gives back what was locked for us. */
const KEEP_ALIVE = { tcp_keepalives_idle: '30', tcp_keepalives_interval: '10', tcp_keepalives_count: '3' };

export interface ConnectionPoolOptions {
  readonly applicationName: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly max: number;
  /** How long work may take, in milliseconds. */
  readonly ms: number;
}

/** Postgres did not answer in time; what was asked may still be carried out. */
class DatabaseTimeout extends Error {
  override readonly name = 'DatabaseTimeout';
  readonly code = 'DATABASE_TIMEOUT';
}

/** Runs statements on a connection. `alive` says that work goes on, and starts its time anew. */
export type Work<Result> = (sql: postgres.Sql, alive: () => void) => Promise<Result>;

interface Kept {
  readonly connection: Connection;
  readonly untilMs: number;
}

/**
 * ConnectionPools for one kind of work, each used by one caller at a time. Every wait has an end, and what has
 * failed in a way that leaves a doubt about its connection takes it along.
 */
export class ConnectionPool {
  readonly #tarn: TarnPool<Kept>;
  readonly #ms: number;
  readonly #open = new Set<Connection>();
  #closed = false;

  constructor(database: Database, { applicationName, settings, max, ms }: ConnectionPoolOptions) {
    this.#ms = ms;
    this.#tarn = new TarnPool<Kept>({
      min: 0,
      max,
      idleTimeoutMillis: IDLE_MS,
      acquireTimeoutMillis: Math.max(ms, LEAST_WAIT_MS),
      // Each attempt has its own end, and there may be many hosts.
      createTimeoutMillis: 2_000_000_000,
      propagateCreateError: true,
      create: async () => {
        const { connection } = await database.connect({
          applicationName,
          settings: { ...KEEP_ALIVE, ...settings },
        });
        this.#open.add(connection);
        return { connection, untilMs: performance.now() + LIFETIME_MS * (0.7 + 0.3 * Math.random()) };
      },
      validate: ({ connection, untilMs }) => !connection.lost && performance.now() < untilMs,
      destroy: ({ connection }) => {
        this.#open.delete(connection);
        return connection.end();
      },
    });
  }

  /** Runs statements that need no transaction together. */
  run<Result>(work: Work<Result>): Promise<Result> {
    return this.#with((connection, alive) => connection.run((sql) => work(sql, alive)));
  }

  /** Runs statements in one transaction, which is committed when `work` resolves. */
  transaction<Result>(work: Work<Result>): Promise<Result> {
    return this.#with((connection, alive) => connection.transaction((sql) => work(sql, alive)));
  }

  /** Waits a while for work under way. */
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
    const kept = await this.#tarn.acquire().promise.catch((error: unknown) => {
      throw error instanceof TimeoutError ? tookTooLong(error) : error;
    });
    const { connection } = kept;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      late.reject(tookTooLong());
      connection.destroy();
    }, this.#ms + GRACE_MS);
    try {
      return await Promise.race([late.promise, use(connection, () => timer.refresh())]);
    } finally {
      clearTimeout(timer);
      this.#tarn.release(kept);
    }
  }
}

function tookTooLong(cause?: Error): DatabaseTimeout {
  return new DatabaseTimeout('Postgres did not answer in time.', { cause });
}
