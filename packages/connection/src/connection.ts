import postgres from 'postgres';
import { ARRAY_TYPES } from './array-types.ts';
import { OneSocket } from './one-socket.ts';
import type { Tls } from './tls.ts';

export interface Session {
  readonly applicationName: string;
  /** Settings for everything that runs on this connection. */
  readonly settings: Readonly<Record<string, string>>;
  /** False behind a pooler, which may run each transaction in another session. */
  readonly ownsSession: boolean;
  readonly prepare: boolean;
  readonly connectSeconds: number;
  readonly tls: Tls;
  /** Called with the channel of each notification. */
  readonly onNotify?: ((channel: string) => void) | undefined;
}

/**
 * A setting without a meaning. When the server does not have it, a pooler drops the settings of sessions, and has
 * dropped the others too.
 */
const MARK = 'macbatch.session';

/** What a new connection reads from its server. */
export interface ServerState {
  /** The server is a standby, or is configured to refuse writes. */
  readonly readOnly: boolean;
  /** Postgres' `server_version_num`, e.g. 150004. */
  readonly version: number;
  /** The settings of this session have reached the server. */
  readonly hasSettings: boolean;
}

/** One connection to one server, for one caller at a time. It is never reused after it was lost. */
export class Connection {
  readonly sql: postgres.Sql;
  readonly #session: Session;
  readonly #socket: OneSocket;
  /** Rejects what waits for this connection now. */
  readonly #waiting = new Set<(error: Error) => void>();
  #lost = false;

  constructor(url: URL, session: Session) {
    this.#session = session;
    this.#socket = new OneSocket(session.tls, session.connectSeconds * 1000);
    // The driver's types lack these two options.
    const untyped = { socket: this.#socket.open, onnotify: session.onNotify };
    this.sql = postgres(url.href, {
      ...untyped,
      max: 1,
      ssl: false, // the socket does TLS
      prepare: session.prepare,
      types: ARRAY_TYPES,
      fetch_types: false,
      idle_timeout: 0,
      max_lifetime: null,
      connect_timeout: session.connectSeconds,
      keep_alive: 30,
      connection: {
        application_name: session.applicationName,
        ...(session.ownsSession ? { ...session.settings, [MARK]: 'on' } : {}),
      },
      onnotice: () => undefined,
      onclose: () => this.#markLost(),
    });
  }

  get lost(): boolean {
    return this.#lost;
  }

  /**
   * Resolves like `work`, and rejects when the connection is lost. A race with one promise that lasts as long as the
   * connection would keep every result in memory until then.
   */
  async orLost<Result>(work: Promise<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    work.then(resolve, reject);
    if (this.#lost) reject(closedError());
    this.#waiting.add(reject);
    try {
      return await promise;
    } finally {
      this.#waiting.delete(reject);
    }
  }

  async state(): Promise<ServerState> {
    // The driver's own deadline covers the handshake only.
    const timer = setTimeout(() => this.destroy(), this.#session.connectSeconds * 2000);
    const [row] = await this.orLost(
      this.sql.unsafe<{ read_only: boolean; version: string; mark: string | null }[]>(
        `select current_setting('transaction_read_only') = 'on' as read_only,
          current_setting('server_version_num') as version, nullif(current_setting('${MARK}', true), '') as mark`,
      ),
    ).finally(() => clearTimeout(timer));
    if (row === undefined) throw new Error('The server did not return its state.');
    return { readOnly: row.read_only, version: Number(row.version), hasSettings: row.mark !== null };
  }

  /** Runs statements that need no transaction. */
  run<Result>(work: (sql: postgres.Sql) => Promise<Result>): Promise<Result> {
    return this.#session.ownsSession ? this.orLost(work(this.sql)) : this.transaction(work);
  }

  /** Runs statements in one transaction. Commits when `work` resolves, and rolls back when it rejects. */
  async transaction<Result>(work: (sql: postgres.Sql) => Promise<Result>): Promise<Result> {
    // Behind a pooler, only a transaction's own settings are sure to apply to it.
    const settings = this.#session.ownsSession ? {} : this.#session.settings;
    const begin = [
      'begin',
      ...Object.entries(settings).map(([name, value]) => `set local ${name} = '${value}'`),
    ];
    const whole = async () => {
      await this.sql.unsafe(begin.join('; '));
      const result = await work(this.sql);
      const { command } = await this.sql.unsafe('commit');
      if (command === 'ROLLBACK') throw new Error('A statement failed, and the transaction was rolled back.');
      return result;
    };
    try {
      return await this.orLost(whole());
    } catch (error) {
      if (!this.lost) await this.orLost(this.sql.unsafe('rollback')).catch(() => this.destroy());
      throw error;
    }
  }

  /** Closes the connection when its statements have ended, or after a second. */
  async end(): Promise<void> {
    await this.sql.end({ timeout: 1 });
    this.#markLost();
    this.#socket.destroy();
  }

  /** Closes the connection immediately. Running statements fail here; the server may still carry them out. */
  destroy(): void {
    this.#markLost();
    this.#socket.destroy();
    this.sql.end({ timeout: 0 }).catch(() => undefined);
  }

  #markLost(): void {
    this.#lost = true;
    for (const reject of this.#waiting) reject(closedError());
  }
}

function closedError(): Error {
  return Object.assign(new Error('The connection to Postgres was closed.'), { code: 'CONNECTION_CLOSED' });
}
