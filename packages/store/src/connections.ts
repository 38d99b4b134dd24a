import postgres from 'postgres';
import { promptSockets } from './prompt-socket.ts';

export interface ConnectionOptions {
  readonly url: string;
  /** Most connections for each of the two kinds of short work. */
  readonly connections?: number;
  /** False behind a pooler that knows no prepared statements in transaction mode. */
  readonly prepare?: boolean;
}

export interface Connections {
  /** Durable work: what it answers has been written to disk. */
  readonly durable: postgres.Sql;
  /**
   * Leases: acknowledged before they are on disk. A lease that a crash of the database loses is a task
   * that is pending again, which the next claim repairs; a result must never be lost like that.
   */
  readonly relaxed: postgres.Sql;
  /** Submissions: an upload holds its connection for as long as it takes, which must keep nobody else waiting. */
  readonly uploads: postgres.Sql;
  readonly prepare: boolean;
  /** Connections that this store opens at most. */
  readonly most: number;
  close(): Promise<void>;
}

/**
 * Opens the pools of a store. They belong to it alone: `drizzle()` changes the parsers of the client it is
 * given, so a client that hot statements run on is never lent to it.
 */
export function openConnections(options: ConnectionOptions): Connections {
  const prepare = options.prepare ?? true;
  const shared = {
    max: options.connections ?? 10,
    prepare,
    onnotice: () => undefined,
    idle_timeout: 60,
    connect_timeout: 10,
    socket: promptSockets(),
  };
  // Said outright: the server's default may be another.
  const durable = postgres(options.url, {
    ...shared,
    connection: { application_name: 'macbatch', synchronous_commit: 'on' },
  });
  const uploads = postgres(options.url, {
    ...shared,
    connection: { application_name: 'macbatch-upload', synchronous_commit: 'on' },
  });
  const relaxed = postgres(options.url, {
    ...shared,
    connection: { application_name: 'macbatch-lease', synchronous_commit: 'off' },
  });
  return {
    durable,
    relaxed,
    uploads,
    prepare,
    most: shared.max * 3 + 1, // one listens for work
    async close() {
      await Promise.all([durable, relaxed, uploads].map((pool) => pool.end({ timeout: 5 })));
    },
  };
}
