import { messageOf } from '@macbatch/core';
import { Connection, type ServerState, type Session } from './connection.ts';
import { type DatabaseAddress, type DatabaseHost, parseDatabaseUrl } from './database-url.ts';

const CONNECT_SECONDS = 5;

export interface SessionOptions extends Pick<Session, 'applicationName' | 'settings' | 'onNotify'> {
  /** Whether a server that takes no writes will do, too. */
  readonly standby?: boolean;
}

/** The state of a server, and which one of the hosts in the URL it is. */
export type Connected = ServerState & { readonly connection: Connection };

/** A database by its URL: finds the host that takes writes, and out whether a pooler stands before it. */
export class Database {
  readonly #address: DatabaseAddress;
  readonly #prepare: boolean | undefined;
  /** The host to try first. */
  #turn = 0;
  #pooled = false;

  /** @param prepare whether statements may be prepared; by default unless there is a pooler */
  constructor(url: string, prepare?: boolean) {
    this.#address = parseDatabaseUrl(url);
    this.#prepare = prepare ?? this.#address.prepare;
  }

  /** Hosts, ports and database for people to read: without user, password and query. */
  get description(): string {
    return this.#address.description;
  }

  get user(): string {
    return this.#address.user;
  }

  /** Connects to the host that takes writes. Rejects with what is wrong with each of them. */
  async connect(options: SessionOptions): Promise<Connected> {
    const { hosts } = this.#address;
    const failures: { readonly host: string; readonly error: unknown }[] = [];
    const first = this.#turn;
    for (const [offset] of hosts.entries()) {
      const turn = (first + offset) % hosts.length;
      const host = hosts[turn];
      if (host === undefined) continue;
      try {
        const connected = await this.#open(host, options);
        this.#turn = turn;
        return connected;
      } catch (error) {
        failures.push({ host: host.url.host, error });
      }
    }
    throw noneOf(failures);
  }

  async #open(host: DatabaseHost, options: SessionOptions): Promise<Connected> {
    if (this.#pooled) return this.#start(host, options, true);
    // Others may find the pooler meanwhile; what counts is what this connection was told.
    try {
      const connected = await this.#start(host, options, false);
      if (connected.marked) return connected;
      connected.connection.destroy();
    } catch (error) {
      if (!refusesSettings(error)) throw error;
    }
    this.#pooled = true;
    return this.#start(host, options, true);
  }

  async #start({ url, tls }: DatabaseHost, options: SessionOptions, pooled: boolean): Promise<Connected> {
    const connection = new Connection(url, {
      ...options,
      tls,
      own: !pooled,
      prepare: this.#prepare ?? !pooled,
      connectSeconds: this.#address.connectSeconds ?? CONNECT_SECONDS,
    });
    try {
      const state = await connection.state();
      if (state.readOnly && options.standby !== true)
        throw Object.assign(new Error('it takes no writes (a standby?)'), { code: '25006' });
      return { ...state, connection };
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }
}

/** PgBouncer knows few settings in the start-up message, and refuses the others. */
function refusesSettings(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === '08P01' && /startup parameter/i.test(error.message);
}

function noneOf(failures: readonly { readonly host: string; readonly error: unknown }[]): unknown {
  const [only] = failures;
  if (failures.length === 1) return only?.error;
  const told = failures.map(({ host, error }) => `${host}: ${messageOf(error)}`);
  const codes = failures.map(({ error }) => codeOf(error));
  return Object.assign(new Error(`No host takes connections for writing now. ${told.join('; ')}`), {
    // A standby that answers says more than a host that does not.
    code: codes.find((code) => code === '25006') ?? codes[0],
    cause: only?.error,
  });
}

function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : undefined;
}
