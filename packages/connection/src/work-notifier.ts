import type { ConnectionPool } from './connection-pool.ts';
import type { Connected, Database } from './database.ts';

/** Told whenever tasks may have become pending. */
export const WORK_CHANNEL = 'macbatch_work';
/** What a listener sends to itself. */
const PING_CHANNEL = 'macbatch_ping';

/** How long a notification may take. */
const PING_MS = 5000;
/** How long it is trusted that notifications still come through. */
const TRUST_MS = 60_000;
/** How long a listener that could not connect, or heard nothing, is left alone. */
const REST_MS = { unreachable: 1000, deaf: 10 * 60_000 };

export interface WorkNotifierOptions {
  readonly database: Database;
  /** Sends; never the connection that listens, to which a pooler might pass on what it sent itself. */
  readonly pool: ConnectionPool;
  /** Told once that notifications do not come through, so that who waits only looks now and then. */
  readonly onDeaf?: (() => void) | undefined;
  readonly monotonicMs: () => number;
  readonly pingMs?: number | undefined;
}

/**
 * Passes on that there may be work: from this process at once, from others by `LISTEN`. Only a hint; who
 * waits must also look by himself now and then. A pooler takes `LISTEN` without a word, and lets nothing
 * through: so the listener pings itself, and gives up where it does not hear that.
 */
export class WorkNotifier {
  readonly #options: WorkNotifierOptions;
  readonly #listeners = new Set<() => void>();
  #connected: Connected | null = null;
  #checking = false;
  #checkAgainMs = Number.NEGATIVE_INFINITY;
  #heard: (() => void) | null = null;
  #told = false;
  #closed = false;

  constructor(options: WorkNotifierOptions) {
    this.#options = options;
  }

  /** Calls `onWork` whenever there may be work; returns how to stop that. */
  subscribe(onWork: () => void): () => void {
    this.#listeners.add(onWork);
    void this.#listen();
    return () => this.#listeners.delete(onWork);
  }

  local(): void {
    for (const onWork of [...this.#listeners]) onWork();
  }

  async everywhere(): Promise<void> {
    await this.#notify(WORK_CHANNEL);
  }

  close(): void {
    this.#closed = true;
    this.#connected?.connection.destroy();
  }

  /** Listens, or makes sure that what is listened to still comes through. Never rejects. */
  async #listen(): Promise<void> {
    const { monotonicMs, onDeaf } = this.#options;
    const lost = this.#connected?.connection.lost === true;
    if (this.#checking || this.#closed || (!lost && monotonicMs() < this.#checkAgainMs)) return;
    this.#checking = true;
    let restMs = TRUST_MS;
    try {
      if (lost || this.#connected === null) this.#connected = await this.#connect();
      if (!(await this.#hearsItself())) {
        restMs = REST_MS.deaf;
        this.#connected.connection.destroy();
        this.#connected = null;
        if (!this.#told) onDeaf?.();
        this.#told = true;
      }
    } catch {
      this.#connected = null;
      restMs = REST_MS.unreachable; // tried again with the next who waits
    }
    this.#checkAgainMs = monotonicMs() + restMs;
    this.#checking = false;
    if (this.#closed) this.#connected?.connection.destroy();
  }

  async #connect(): Promise<Connected> {
    const connected = await this.#options.database.connect({
      applicationName: 'macbatch-listen',
      settings: {},
      onNotify: (channel) => (channel === WORK_CHANNEL ? this.local() : this.#heard?.()),
    });
    await connected.connection.run(async (sql) => {
      await sql.unsafe(`listen ${WORK_CHANNEL}; listen ${PING_CHANNEL}`);
    });
    return connected;
  }

  async #hearsItself(): Promise<boolean> {
    const heard = Promise.withResolvers<boolean>();
    this.#heard = () => heard.resolve(true);
    const timer = setTimeout(() => heard.resolve(false), this.#options.pingMs ?? PING_MS);
    try {
      await this.#notify(PING_CHANNEL);
      return await heard.promise;
    } finally {
      clearTimeout(timer);
      this.#heard = null;
    }
  }

  async #notify(channel: string): Promise<void> {
    await this.#options.pool.run(async (sql) => sql`select pg_notify(${channel}, '')`);
  }
}
