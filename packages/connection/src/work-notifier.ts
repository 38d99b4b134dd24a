import type { ConnectionPool } from './connection-pool.ts';
import type { Connected, Database } from './database.ts';

/** The channel of notifications that tasks may have become pending. */
export const WORK_CHANNEL = 'macbatch_work';
/** The channel on which a listener sends notifications to itself. */
const PING_CHANNEL = 'macbatch_ping';

/** How long a ping may take, in milliseconds. */
const PING_MS = 5000;
/** Time after a successful ping during which notifications are expected to arrive, in milliseconds. */
const PING_EVERY_MS = 60_000;
/** Time before the listener tries again after a failure, in milliseconds. */
const RETRY_MS = { unreachable: 1000, noPing: 10 * 60_000 };

export interface WorkNotifierOptions {
  readonly database: Database;
  /** Sends notifications. The listening connection sends none: a pooler could return them to it directly. */
  readonly pool: ConnectionPool;
  /** Called once when notifications do not arrive. Waiting callers then only poll. */
  readonly onNotificationsLost?: (() => void) | undefined;
  readonly monotonicMs: () => number;
  readonly pingMs?: number | undefined;
}

/**
 * Notifies waiting callers that there may be work: directly in this process, by `LISTEN` from others. Notifications
 * can be lost, so callers must also poll. A pooler accepts `LISTEN` and delivers nothing: therefore the listener
 * pings itself, and stops when the ping does not arrive.
 */
export class WorkNotifier {
  readonly #options: WorkNotifierOptions;
  readonly #listeners = new Set<() => void>();
  #connected: Connected | null = null;
  #checking = false;
  #nextCheckMs = Number.NEGATIVE_INFINITY;
  #onPing: (() => void) | null = null;
  #reportedLost = false;
  #closed = false;

  constructor(options: WorkNotifierOptions) {
    this.#options = options;
  }

  /** Calls `onWork` whenever there may be work. Returns how to stop. */
  subscribe(onWork: () => void): () => void {
    this.#listeners.add(onWork);
    void this.#listen();
    return () => this.#listeners.delete(onWork);
  }

  /** Notifies the subscribers in this process. */
  notifyHere(): void {
    for (const onWork of [...this.#listeners]) onWork();
  }

  /** Notifies the subscribers in all processes. */
  async notifyAll(): Promise<void> {
    await this.#notify(WORK_CHANNEL);
  }

  close(): void {
    this.#closed = true;
    this.#connected?.connection.destroy();
  }

  /** Connects and listens, or checks that notifications still arrive. Never rejects. */
  async #listen(): Promise<void> {
    const { monotonicMs, onNotificationsLost } = this.#options;
    const lost = this.#connected?.connection.lost === true;
    if (this.#checking || this.#closed || (!lost && monotonicMs() < this.#nextCheckMs)) return;
    this.#checking = true;
    let waitMs = PING_EVERY_MS;
    try {
      if (lost || this.#connected === null) this.#connected = await this.#connect();
      if (!(await this.#pingArrives())) {
        waitMs = RETRY_MS.noPing;
        this.#connected.connection.destroy();
        this.#connected = null;
        if (!this.#reportedLost) onNotificationsLost?.();
        this.#reportedLost = true;
      }
    } catch {
      this.#connected = null;
      waitMs = RETRY_MS.unreachable; // the next subscriber tries again
    }
    this.#nextCheckMs = monotonicMs() + waitMs;
    this.#checking = false;
    if (this.#closed) this.#connected?.connection.destroy();
  }

  async #connect(): Promise<Connected> {
    const connected = await this.#options.database.connect({
      applicationName: 'macbatch-listen',
      settings: {},
      onNotify: (channel) => (channel === WORK_CHANNEL ? this.notifyHere() : this.#onPing?.()),
    });
    await connected.connection.run(async (sql) => {
      await sql.unsafe(`listen ${WORK_CHANNEL}; listen ${PING_CHANNEL}`);
    });
    return connected;
  }

  async #pingArrives(): Promise<boolean> {
    const arrived = Promise.withResolvers<boolean>();
    this.#onPing = () => arrived.resolve(true);
    const timer = setTimeout(() => arrived.resolve(false), this.#options.pingMs ?? PING_MS);
    try {
      await this.#notify(PING_CHANNEL);
      return await arrived.promise;
    } finally {
      clearTimeout(timer);
      this.#onPing = null;
    }
  }

  async #notify(channel: string): Promise<void> {
    await this.#options.pool.run(async (sql) => sql`select pg_notify(${channel}, '')`);
  }
}
