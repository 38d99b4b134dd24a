import { Agent, request } from 'undici';
import { isRecord, member, parseJson } from '../json-value.ts';
import { isError } from './completion.ts';
import { failureOfConnection } from './connection-failure.ts';
import type { ReplyHeaders } from './retry-after.ts';
import { failureOfReply } from './server-failure.ts';

/** Time-out of requests for metadata, such as models and version. */
const METADATA_TIMEOUT_MS = 5000;

export interface ModelServerConfig {
  /** Base URL of the API, usually ending in `/v1`. */
  readonly url: string;
  readonly key?: string | undefined;
  /** How long one item may take, in milliseconds. */
  readonly timeoutMs: number;
}

/** Sends requests to a model server. Knows its URL, key and time limit. */
export class ModelServer {
  /** Host name and port, for messages. */
  readonly host: string;
  readonly #base: string;
  readonly #key: string | undefined;
  // The global fetch gives up after 300 s without headers, and a long answer takes longer.
  readonly #agent: Agent;

  constructor({ url, key, timeoutMs }: ModelServerConfig) {
    const parsed = URL.parse(url);
    if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) {
      throw new Error('the URL of a model server must begin with http:// or https://');
    }
    if (parsed.username !== '' || parsed.password !== '') {
      throw new Error(
        `the URL of the model server ${parsed.host} must not contain a password: set its key instead`,
      );
    }
    if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
      throw new Error(
        `the key of the model server ${parsed.host} contains characters that a header cannot carry`,
      );
    }
    this.host = parsed.host;
    this.#base = `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`;
    this.#key = key;
    this.#agent = new Agent({ headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  }

  /**
   * Posts a request and returns the JSON object of the reply. Rejects with `RunFailure`, or with the signal's reason
   * when aborted.
   */
  async post(path: string, body: object, signal: AbortSignal): Promise<object> {
    signal.throwIfAborted();
    let status: number;
    let text: string;
    let headers: ReplyHeaders = {};
    let bytesArrived = false;
    try {
      const reply = await request(`${this.#base}${path}`, {
        method: 'POST',
        headers: { ...this.#authorization(), 'content-type': 'application/json' },
        // A string has a content-length. mlx_lm.server does not accept chunks.
        body: JSON.stringify(body),
        dispatcher: this.#agent,
        signal,
      });
      bytesArrived = true;
      status = reply.statusCode;
      headers = reply.headers;
      text = await reply.body.text();
    } catch (error) {
      signal.throwIfAborted();
      throw failureOfConnection(error, this.host, { bytesArrived });
    }
    const reply = parseJson(text);
    // LM Studio sends some errors with status 200.
    if (status !== 200 || !isRecord(reply) || isError(member(reply, 'error'))) {
      throw failureOfReply({ status, body: this.#withoutKey(text), headers }, Date.now());
    }
    return reply;
  }

  /** Gets JSON; `undefined` for a reply that is not a 200 with JSON. Rejects when the server does not answer. */
  async ask(path: string): Promise<unknown> {
    return await this.#get(`${this.#base}${path}`);
  }

  /** Like `ask`, but below the server's root: Ollama's own API is not below `/v1`. */
  async askRoot(path: string): Promise<unknown> {
    return await this.#get(`${this.#base.replace(/\/v1$/, '')}${path}`);
  }

  /** Aborts all requests. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #get(url: string): Promise<unknown> {
    const reply = await request(url, {
      headers: this.#authorization(),
      dispatcher: this.#agent,
      headersTimeout: METADATA_TIMEOUT_MS,
      bodyTimeout: METADATA_TIMEOUT_MS,
    });
    const text = await reply.body.text();
    if (reply.statusCode !== 200) return undefined;
    return parseJson(text);
  }

  #authorization(): Record<string, string> {
    return this.#key === undefined ? {} : { authorization: `Bearer ${this.#key}` };
  }

  /** Servers repeat a wrong key in their messages, and the submitter sees those. */
  #withoutKey(text: string): string {
    return this.#key === undefined ? text : text.replaceAll(this.#key, '[key]');
  }
}
