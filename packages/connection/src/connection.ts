import postgres from 'postgres';
import { ARRAY_TYPES } from './array-types.ts';
import { OneSocket } from './one-socket.ts';
import type { Tls } from './tls.ts';

export interface Session {
  readonly applicationName: string;
  /** Settings that hold for whatever this connection runs. */
  readonly settings: Readonly<Record<string, string>>;
  /** False where a pooler stands between, which gives each transaction another session. */
  readonly own: boolean;
  readonly prepare: boolean;
  readonly connectSeconds: number;
  readonly tls: Tls;
  /** Told of each notification that comes in. */
  readonly onNotify?: ((channel: string) => void) | undefined;
}

/**
 * A setting that means nothing. Where it does not arrive, somebody between us and the server drops settings
 * of the session, and so the other ones too.
 */
const MARK = 'macbatch.session';

/** What a server says of itself. */
export interface ServerState {
  /** A standby, or one that was told to take no writes. */
  readonly readOnly: boolean;
  /** Postgres' `server_version_num`, e.g. 150004. */
  readonly version: number;
  readonly marked: boolean;
}

/** One connection to one server, used by one caller at a time, and never again once it has been lost. */
export class Connection {
  readonly sql: postgres.Sql;
  readonly #session: Session;
  readonly #socket: OneSocket;
  readonly #loss = Promise.withResolvers<never>();
  #lost = false;

  constructor(url: URL, session: Session) {
    this.#session = session;
    this.#socket = new OneSocket(session.tls, session.connectSeconds * 1000);
    this.#loss.promise.catch(() => undefined); // nobody need be waiting
    // Two that the driver's types do not know.
    const untyped = { socket: this.#socket.open, onnotify: session.onNotify };
    this.sql = postgres(url.href, {
      ...untyped,
      max: 1,
      ssl: false, // the socket sees to it
      prepare: session.prepare,
      types: ARRAY_TYPES,
      fetch_types: false,
      idle_timeout: 0,
      max_lifetime: null,
      connect_timeout: session.connectSeconds,
      keep_alive: 30,
      connection: {
        application_name: session.applicationName,
        ...(session.own ? { ...session.settings, [MARK]: 'on' } : {}),
      },
      onnotice: () => undefined,
      onclose: () => this.#lose(),
    });
  }

  get lost(): boolean {
    return this.#lost;
  }

  /** Never resolves; rejects when the connection is lost, whatever was under way. */
  get loss(): Promise<never> {
    return this.#loss.promise;
  }

  async state(): Promise<ServerState> {
    // The driver bounds the handshake; this, what comes after it.
    const timer = setTimeout(() => this.destroy(), this.#session.connectSeconds * 2000);
    const [row] = await Promise.race([
      this.loss,
      this.sql.unsafe<{ read_only: boolean; version: string; mark: string | null }[]>(
        `select current_setting('transaction_read_only') = 'on' as read_only,
          current_setting('server_version_num') as version, nullif(current_setting('${MARK}', true), '') as mark`,
      ),
    ]).finally(() => clearTimeout(timer));
    if (row === undefined) throw new Error('the server says nothing of itself');
    return { readOnly: row.read_only, version: Number(row.version), marked: row.mark !== null };
  }

  /** Runs statements that need no transaction together. */
  run<Result>(work: (sql: postgres.Sql) => Promise<Result>): Promise<Result> {
    return this.#session.own ? Promise.race([this.loss, work(this.sql)]) : this.transaction(work);
  }

  /** Runs statements in one transaction, which is committed when `work` resolves. */
  async transaction<Result>(work: (sql: postgres.Sql) => Promise<Result>): Promise<Result> {
    // Through a pooler, only what a transaction sets for itself is sure to hold for it.
    const settings = this.#session.own ? {} : this.#session.settings;
    const begin = [
      'begin',
      ...Object.entries(settings).map(([name, value]) => `set local ${name} = '${value}'`),
    ];
    const whole = async () => {
      await this.sql.unsafe(begin.join('; '));
      const result = await work(this.sql);
      const { command } = await this.sql.unsafe('commit');
      if (command === 'ROLLBACK') throw new Error('a statement failed, and with it the transaction');
      return result;
    };
    try {
      return await Promise.race([this.loss, whole()]);
    } catch (error) {
      if (!this.lost)
        await Promise.race([this.loss, this.sql.unsafe('rollback')]).catch(() => this.destroy());
      throw error;
    }
  }

  /** Closes it once what it runs has ended, or at the latest after a second. */
  async end(): Promise<void> {
    await this.sql.end({ timeout: 1 });
    this.#lose();
    this.#socket.destroy();
  }

  /** Closes it at once. What was under way fails here; the server may still carry it out. */
  destroy(): void {
    this.#lose();
    this.#socket.destroy();
    this.sql.end({ timeout: 0 }).catch(() => undefined);
  }

  #lose(): void {
    this.#lost = true;
    this.#loss.reject(
      Object.assign(new Error('The connection to Postgres was closed.'), { code: 'CONNECTION_CLOSED' }),
    );
  }
}
