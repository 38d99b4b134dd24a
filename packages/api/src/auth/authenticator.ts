import { ACCESS, type RouteName } from '@macbatch/contract';
import type { KeyRole, SecretKind } from '@macbatch/core';
import type { Key, Store, StoredSecret } from '@macbatch/store';
import type { Context } from 'hono';
import { RefusedRequest } from '../requests/refused-request.ts';
import { type Caller, mayUse, OPEN } from './caller.ts';
import { clientAddress } from './client-address.ts';
import { parseSecret, sameHash } from './key-text.ts';
import { isLoopbackHost } from './loopback-host.ts';
import { type CallerLimits, type RequestLimits, requestLimits } from './request-limits.ts';

/** Cache lifetime of "no key exists", in milliseconds. */
const TRUST_OPEN_MS = 1000;

/** Query parameters that may hold a key. A key in a URL ends up in logs and browser histories. */
const KEY_PARAMETERS = ['key', 'api_key', 'apikey', 'token', 'access_token', 'authorization'];

export interface AuthenticatorOptions {
  readonly store: Pick<Store, 'keys'>;
  /** Lets every request in while no key exists. Only safe if no other machine can reach the control plane. */
  readonly open: boolean;
  /** Requests come through a proxy that names the client's address. */
  readonly trustProxy: boolean;
  readonly limits: RequestLimits;
  readonly monotonicMs: () => number;
}

/** Identifies the caller of a request and checks what the caller may do. */
export class Authenticator {
  readonly #keys: Store['keys'];
  readonly #open: boolean;
  readonly #trustProxy: boolean;
  readonly #limits: CallerLimits;
  readonly #monotonicMs: () => number;
  #openUntil = Number.NEGATIVE_INFINITY;

  constructor(options: AuthenticatorOptions) {
    this.#keys = options.store.keys;
    this.#open = options.open;
    this.#trustProxy = options.trustProxy;
    this.#limits = requestLimits(options.limits);
    this.#monotonicMs = options.monotonicMs;
  }

  /** Identifies the caller of a route of the contract. Throws `RefusedRequest` if the caller may not use it. */
  admit(c: Context, route: Exclude<RouteName, 'joinWorker'>): Promise<Caller> {
    const access = ACCESS[route];
    if (access === 'join_token') throw new TypeError(`${route} needs a join token, not a key`);
    return this.#admitted(c, (caller) => mayUse(caller, access));
  }

  /** Identifies the caller of a path outside the contract that these roles may use. */
  admitRole(c: Context, ...roles: readonly KeyRole[]): Promise<Caller> {
    return this.#admitted(c, (caller) => roles.includes(caller.role));
  }

  /**
   * Identifies the caller of the OpenAI interface. Its client libraries cannot send a request without a key, so any text
   * that is no key of ours is ignored while no key is needed.
   */
  admitOpenAi(c: Context): Promise<Caller> {
    return this.#admitClient(c, c.req.header('authorization'));
  }

  /** Identifies the caller of Anthropic's interface like that of OpenAI's. Its client libraries send `x-api-key`. */
  admitAnthropic(c: Context): Promise<Caller> {
    const apiKey = c.req.header('x-api-key');
    const header = c.req.header('authorization');
    // Some programs send both.
    const isInApiKey = apiKey !== undefined && (header === undefined || apiKey.startsWith('mbk_'));
    return this.#admitClient(c, isInApiKey ? `Bearer ${apiKey}` : header);
  }

  /** Reads the join token of a request. */
  async joinToken(c: Context): Promise<StoredSecret> {
    await this.#limits.attempt(clientAddress(c, this.#trustProxy));
    return (
      bearer(c, c.req.header('authorization'), 'mbj') ??
      refuse('unauthenticated', 'Send the join token as Authorization: Bearer mbj_….')
    );
  }

  /** Counts a stream towards the caller's limit. Returns a function that releases it. */
  stream(caller: Caller): () => void {
    return this.#limits.stream(caller.keyId);
  }

  /** Requires keys from now on, because one was created here. */
  closed(): void {
    this.#openUntil = Number.NEGATIVE_INFINITY;
  }

  async isOpen(): Promise<boolean> {
    if (!this.#open) return false;
    if (this.#monotonicMs() < this.#openUntil) return true;
    if (await this.#keys.hasValid()) return false;
    this.#openUntil = this.#monotonicMs() + TRUST_OPEN_MS;
    return true;
  }

  async #admitClient(c: Context, header: string | undefined): Promise<Caller> {
    const isOurs = /^Bearer +mb[ks]_/i.test(header ?? '');
    if (!isOurs && (await this.isOpen())) return openCaller(c);
    return this.#admitted(c, ({ role }) => role === 'submit' || role === 'admin', header);
  }

  async #admitted(
    c: Context,
    may: (caller: Caller) => boolean,
    header = c.req.header('authorization'),
  ): Promise<Caller> {
    const caller = await this.#caller(c, header);
    await this.#limits.request(caller.keyId);
    if (may(caller)) return caller;
    throw new RefusedRequest('forbidden', `A key with the role ${caller.role} may not do this.`);
  }

  async #caller(c: Context, header: string | undefined): Promise<Caller> {
    const presented = bearer(c, header, 'mbk', 'mbs');
    if (presented === null) {
      if (await this.isOpen()) return openCaller(c);
      throw new RefusedRequest('unauthenticated', 'Send a key as Authorization: Bearer mbk_….');
    }
    const { key, sessionId } = await this.#identified(c, presented);
    if (key.revokedAt !== null) throw new RefusedRequest('invalid_key', 'This key was revoked.');
    if (key.expired) throw new RefusedRequest('invalid_key', 'This key has expired.');
    return {
      role: key.role,
      owner: key.owner,
      workerId: key.workerId,
      keyId: key.id,
      keyName: key.name,
      sessionId,
    };
  }

  /** Finds the key of a request, sent as it is or by a session of it. */
  async #identified(
    c: Context,
    { kind, ...presented }: Presented,
  ): Promise<{ readonly key: Key; readonly sessionId: string | null }> {
    if (kind === 'mbs') {
      const session = await this.#keys.findSession(presented.id);
      if (session === null || !sameHash(session.hash, presented.hash)) return this.#unknown(c, 'session');
      if (session.expired)
        throw new RefusedRequest('invalid_key', 'This session has expired. Sign in again.');
      return { key: session.key, sessionId: presented.id };
    }
    const key = await this.#keys.find(presented.id);
    if (key === null || !sameHash(key.hash, presented.hash)) return this.#unknown(c, 'key');
    return { key, sessionId: null };
  }

  async #unknown(c: Context, what: 'key' | 'session'): Promise<never> {
    await this.#limits.attempt(clientAddress(c, this.#trustProxy));
    throw new RefusedRequest('invalid_key', `This ${what} does not exist.`);
  }
}

/**
 * The caller of a request while no key is needed. Everybody who reaches this machine may then do everything, so no site
 * that has given its own name the address of this machine may send its readers here. Requests within this process have
 * no `Host`, unless they are made for a request that came from outside.
 */
function openCaller(c: Context): Caller {
  const host = c.req.header('host');
  if (host === undefined || isLoopbackHost(host)) return OPEN;
  throw new RefusedRequest(
    'forbidden',
    `This control plane has no keys, so it answers only under the name of this machine, not as ${host.slice(0, 100)}. Use http://127.0.0.1 with its port, or create a key.`,
  );
}

/** The secret of a request. */
interface Presented extends StoredSecret {
  readonly kind: SecretKind;
}

/** The secret of this Authorization header of a request, of one of these kinds; null if there is no header. */
function bearer(
  c: Context,
  header: string | undefined,
  ...kinds: readonly [SecretKind, ...SecretKind[]]
): Presented | null {
  const inUrl = KEY_PARAMETERS.find((name) => c.req.query(name) !== undefined);
  if (inUrl !== undefined) {
    throw new RefusedRequest(
      'key_in_url',
      'Send the key in the Authorization header. A key in a URL ends up in logs.',
      {
        field: inUrl,
      },
    );
  }
  if (timesSent(c) > 1) throw new RefusedRequest('invalid_key', 'Send the Authorization header only once.');
  if (header === undefined) return null;
  const [, text = ''] = /^Bearer +(\S+) *$/i.exec(header) ?? [];
  for (const kind of kinds) {
    const secret = parseSecret(kind, text);
    if (secret !== null) return { kind, ...secret };
  }
  return refuse('invalid_key', `The Authorization header must have the form: Bearer ${kinds[0]}_….`);
}

/** Counts the Authorization headers of the request. Node's parsed headers hide duplicates. */
function timesSent(c: Context): number {
  const raw: unknown = c.env?.incoming?.rawHeaders;
  if (!Array.isArray(raw)) return 1;
  return raw.filter((text, i) => i % 2 === 0 && String(text).toLowerCase() === 'authorization').length;
}

function refuse(code: 'unauthenticated' | 'invalid_key', detail: string): never {
  throw new RefusedRequest(code, detail);
}
