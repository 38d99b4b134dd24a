import {
  API_VERSION,
  API_VERSION_HEADER,
  apiVersionOf,
  compatibility,
  JobView,
  ndjsonLines,
  parseReadable,
  type RouteInput,
  type RouteName,
  type RouteReply,
  routes,
  schemasOf,
  type UnreadableEntry,
} from '@macbatch/contract';
import pRetry, { AbortError } from 'p-retry';
import { ApiError, apiErrorOf, Unreachable } from './api-error.ts';
import { redirectErrorOf } from './redirect-error.ts';
import { type ServerEvent, serverEvents } from './server-events.ts';
import { UnreadableReply } from './unreadable-reply.ts';

export interface ClientOptions {
  /** URL of the control plane, such as http://127.0.0.1:7420. */
  readonly baseUrl: string;
  /** Sent with every request. */
  readonly key?: string;
  /** Replaces the global `fetch`. Tests pass the API's own `request`, which needs no socket. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response> | Response;
  /**
   * How often a repeatable request is retried when the control plane does not answer.
   * @default 6
   */
  readonly retries?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /**
   * Called for each array entry in the reply that does not fit the contract. `call` leaves these entries out of the
   * reply. Without this function, `call` rejects with `UnreadableReply`.
   */
  readonly onUnreadable?: (entry: UnreadableEntry) => void;
}

/** Selects the outcomes of a job. Empty selects all. */
export interface ResultQuery {
  readonly item_id?: string;
  readonly status?: 'ok' | 'error';
  /** Only items behind this position. Each line then begins with `seq`. */
  readonly after?: number;
  /** Stops before the first item that has no outcome yet. */
  readonly until_open?: boolean;
}

/** Longest line of results. A control plane accepts no outcome with a longer line. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;

/** Longest pause between retries. A short pause lets programs reconnect soon after an outage. */
const MAX_RETRY_PAUSE_MS = 1000;

/** Routes that are never retried, because a retry could take effect twice. */
const NOT_REPEATABLE: ReadonlySet<RouteName> = new Set(['leaseTasks', 'submitJob']);

/** A typed client of the native interface, derived from the contract. It parses every reply. */
export class Client {
  readonly baseUrl: string;
  readonly #fetch: (url: string, init: RequestInit) => Promise<Response> | Response;
  readonly #retries: number;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(options: ClientOptions) {
    this.baseUrl = options.baseUrl.replace(/\/+$/, '');
    this.#fetch = options.fetch ?? fetch;
    this.#retries = options.retries ?? 6;
    this.#headers = {
      [API_VERSION_HEADER]: String(API_VERSION),
      ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
    };
  }

  /** Calls one route of the contract. Throws `ApiError`, `Unreachable` or `UnreadableReply`. */
  async call<Name extends RouteName>(
    name: Name,
    input: RouteInput<Name>,
    options: CallOptions = {},
  ): Promise<RouteReply<Name>> {
    const route = routes[name];
    const { params, query, body } = input as { params?: object; query?: object; body?: unknown };
    const init: RequestInit = {
      method: route.method.toUpperCase(),
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    };
    const url = this.#url(route.path, params, query);
    const response = await this.#send(url, init, options, NOT_REPEATABLE.has(name) ? 0 : this.#retries);
    const { reply } = schemasOf(route);
    if (reply === undefined) throw new TypeError(`the route ${name} has no JSON reply`);
    const value = await this.#read(url, response, options);
    const { onUnreadable } = options;
    // The reply's type is derived from this schema.
    const parsed = parseReadable(reply, value);
    if (!parsed.success) throw new UnreadableReply(name, parsed.error.issues);
    const [first] = parsed.unreadable;
    if (first !== undefined && onUnreadable === undefined) throw new UnreadableReply(name, [first]);
    for (const entry of parsed.unreadable) onUnreadable?.(entry);
    return parsed.data as RouteReply<Name>;
  }

  /**
   * Submits a job as NDJSON. `lines` is called for each try and yields the header and the items as JSON texts
   * without newlines. A lost connection is retried only with an idempotency key.
   */
  async submit(
    lines: () => AsyncIterable<string>,
    options: CallOptions & { readonly idempotencyKey?: string } = {},
  ): Promise<{ readonly job: JobView; readonly created: boolean }> {
    const url = this.#url(routes.submitJob.path);
    const headers: Record<string, string> = { 'content-type': 'application/x-ndjson' };
    if (options.idempotencyKey !== undefined) headers['idempotency-key'] = options.idempotencyKey;
    const response = await this.#send(
      url,
      () => ({ method: 'POST', headers, body: byteStream(lines()), duplex: 'half' }) as RequestInit,
      options,
      options.idempotencyKey === undefined ? 0 : this.#retries,
    );
    const job = JobView.safeParse(await this.#read(url, response, options));
    if (!job.success) throw new UnreadableReply('submitJob', job.error.issues);
    return { job: job.data, created: response.status === 201 };
  }

  /** Reads the outcomes of a job as lines of JSON, exactly as the control plane wrote them. */
  async *results(
    jobId: string,
    query: ResultQuery = {},
    options: CallOptions = {},
  ): AsyncGenerator<string, void, undefined> {
    const url = this.#url(routes.readResults.path, { id: jobId }, query);
    const response = await this.#send(url, { method: 'GET' }, options, this.#retries);
    if (response.body === null) return;
    try {
      for await (const line of ndjsonLines(response.body, MAX_LINE_BYTES)) yield line.text;
    } catch (error) {
      options.signal?.throwIfAborted();
      throw new Unreachable(url, error);
    }
  }

  /**
   * Yields what changes on a control plane until the stream ends, for example when the control plane stops. `topics` are
   * those of the route `streamChanges`. The caller opens it again, after a pause.
   */
  async *changes(
    topics: readonly string[],
    options: CallOptions = {},
  ): AsyncGenerator<ServerEvent, void, undefined> {
    const url = this.#url(routes.streamChanges.path, {}, { topics: topics.join(',') });
    const response = await this.#send(url, { method: 'GET' }, options, this.#retries);
    if (response.body === null) return;
    try {
      yield* serverEvents(response.body);
    } catch (error) {
      options.signal?.throwIfAborted();
      throw new Unreachable(url, error);
    }
  }

  #url(path: string, params: object = {}, query: object = {}): string {
    const filled = Object.entries(params).reduce(
      (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
      path,
    );
    const search = new URLSearchParams(
      Object.entries(query)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    return `${this.baseUrl}${filled}${search === '' ? '' : `?${search}`}`;
  }

  #send(
    url: string,
    init: RequestInit | (() => RequestInit),
    options: CallOptions,
    retries: number,
  ): Promise<Response> {
    const signal = options.signal === undefined ? {} : { signal: options.signal };
    const once = async () => {
      let response: Response;
      try {
        const { headers, ...rest } = typeof init === 'function' ? init() : init;
        response = await this.#fetch(url, {
          ...rest,
          headers: { ...this.#headers, ...headers },
          // A key would go to another server, and a POST would become a GET.
          redirect: 'manual',
          ...signal,
        });
      } catch (error) {
        options.signal?.throwIfAborted();
        throw new Unreachable(url, error);
      }
      if (response.ok) {
        throwIfTooOld(response);
        return response;
      }
      const problem = redirectErrorOf(response, url) ?? (await apiErrorOf(response));
      throw problem.retryable ? problem : new AbortError(problem);
    };
    return pRetry(once, {
      retries,
      minTimeout: 200,
      maxTimeout: MAX_RETRY_PAUSE_MS,
      randomize: true,
      ...signal,
      shouldRetry: ({ error }) =>
        error instanceof Unreachable ? error.retryable : error instanceof ApiError,
    });
  }

  async #read(url: string, response: Response, options: CallOptions): Promise<unknown> {
    try {
      return await response.json();
    } catch (error) {
      options.signal?.throwIfAborted();
      throw new Unreachable(url, error);
    }
  }
}

/** Throws when the API version of the control plane is older than this client supports. */
function throwIfTooOld(response: Response): void {
  const theirs = apiVersionOf(response.headers.get(API_VERSION_HEADER));
  if (compatibility(theirs) !== 'too_old') return;
  throw new AbortError(
    new Error(
      `The control plane has API version ${theirs}, this program ${API_VERSION}. Upgrade the control plane first.`,
    ),
  );
}

/** Encodes lines as a stream of large chunks, because one chunk per line is slow. */
function byteStream(lines: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  async function* chunks() {
    let chunk = '';
    for await (const line of lines) {
      chunk += `${line}\n`;
      if (chunk.length > 64 * 1024) {
        yield encoder.encode(chunk);
        chunk = '';
      }
    }
    if (chunk !== '') yield encoder.encode(chunk);
  }
  return ReadableStream.from(chunks());
}
