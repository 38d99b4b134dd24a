import { messageOf } from '@macbatch/core';
import { Connection, type ServerState, type Session } from './connection.ts';
import { type DatabaseAddress, type DatabaseHost, parseDatabaseUrl } from './database-url.ts';

/** Deadline of an attempt to connect, unless the URL names one. */
const CONNECT_SECONDS = 5;

export interface SessionOptions extends Pick<Session, 'applicationName' | 'settings' | 'onNotify'> {
  /** Accepts a server that takes no writes. */
  readonly standby?: boolean;
}

/** A connection with the state of its server. */
export type Connected = ServerState & { readonly connection: Connection };

/** Finds the writable host of a Postgres URL and detects a pooler in front of it. */
export class Database {
  readonly #address: DatabaseAddress;
  readonly #prepare: boolean | undefined;
  /** The index of the host to try first: the last one that worked. */
  #firstHost = 0;
  #behindPooler = false;

  /** @param prepare whether statements are prepared. By default they are, unless there is a pooler. */
  constructor(url: string, prepare?: boolean) {
    this.#address = parseDatabaseUrl(url);
    this.#prepare = prepare ?? this.#address.prepare;
  }

  /** Hosts, ports and database, for messages: without user, password and query. */
  get description(): string {
    return this.#address.description;
  }

  get user(): string {
    return this.#address.user;
  }

  /** Connects to the writable host. Rejects with the error of each host when there is none. */
  async connect(options: SessionOptions): Promise<Connected> {
    const { hosts } = this.#address;
    const failures: { readonly host: string; readonly error: unknown }[] = [];
    const firstHost = this.#firstHost;
    for (const [offset] of hosts.entries()) {
      const index = (firstHost + offset) % hosts.length;
      const host = hosts[index];
      if (host === undefined) continue;
      try {
        const connected = await this.#open(host, options);
        this.#firstHost = index;
        return connected;
      } catch (error) {
        failures.push({ host: host.url.host, error });
      }
    }
    throw noWritableHost(failures);
  }

  async #open(host: DatabaseHost, options: SessionOptions): Promise<Connected> {
    if (this.#behindPooler) return this.#start(host, options, true);
    // Another call may detect the pooler concurrently. This connection decides by its own answer.
    try {
      const connected = await this.#start(host, options, false);
      if (connected.hasSettings) return connected;
      connected.connection.destroy();
    } catch (error) {
      if (!refusesSettings(error)) throw error;
    }
    this.#behindPooler = true;
    return this.#start(host, options, true);
  }

  async #start({ url, tls }: DatabaseHost, options: SessionOptions, pooled: boolean): Promise<Connected> {
    const connection = new Connection(url, {
      ...options,
      tls,
      ownsSession: !pooled,
      prepare: this.#prepare ?? !pooled,
      connectSeconds: this.#address.connectSeconds ?? CONNECT_SECONDS,
    });
    try {
      const state = await connection.state();
      if (state.readOnly && options.standby !== true)
        throw Object.assign(new Error('The server takes no writes. It may be a standby.'), { code: '25006' });
      return { ...state, connection };
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }
}

/** Whether a pooler refused a setting. PgBouncer accepts few settings in the start-up message. */
function refusesSettings(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === '08P01' && /startup parameter/i.test(error.message);
}

function noWritableHost(failures: readonly { readonly host: string; readonly error: unknown }[]): unknown {
  const [only] = failures;
  if (failures.length === 1) return only?.error;
  const messages = failures.map(({ host, error }) => `${host}: ${messageOf(error)}`);
  const codes = failures.map(({ error }) => codeOf(error));
  return Object.assign(new Error(`No host of the Postgres URL accepts writes now. ${messages.join('; ')}`), {
    // An answer from a standby says more than no answer.
    code: codes.find((code) => code === '25006') ?? codes[0],
    cause: only?.error,
  });
}

function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : undefined;
}
