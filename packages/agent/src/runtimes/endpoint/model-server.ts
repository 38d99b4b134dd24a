import { Agent, request } from 'undici';
import { isRecord, member, parseJson } from '../json-value.ts';
import { failureOfConnection } from './connection-failure.ts';
import { failureOfReply } from './server-failure.ts';

/** Questions about a server (its models, its version) are answered at once or not at all. */
const QUESTION_TIMEOUT_MS = 5000;

export interface ModelServerConfig {
  /** Base address of the API, mostly ending in `/v1`. */
  readonly url: string;
  readonly key?: string | undefined;
  /** How long one item may take. */
  readonly timeoutMs: number;
}

/** A model server over HTTP: the only place that knows its address, key and time limit. */
export class ModelServer {
  /** Name and port, for messages. */
  readonly host: string;
  readonly #base: string;
  readonly #key: string | undefined;
  // Not the global fetch: it gives up after 300 s without headers, and a long answer takes longer.
  readonly #agent: Agent;

  constructor({ url, key, timeoutMs }: ModelServerConfig) {
    const parsed = URL.parse(url);
    if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) {
      throw new Error('the address of a model server must be an http or https URL');
    }
    if (parsed.username !== '' || parsed.password !== '') {
      throw new Error(`the address of the model server ${parsed.host} must not hold a password: use its key`);
    }
    if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
      throw new Error(`the key of the model server ${parsed.host} has characters that no header may have`);
    }
    this.host = parsed.host;
    this.#base = `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`;
    this.#key = key;
    this.#agent = new Agent({ headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  }

  /** The JSON object of a 200 that is no error. Rejects with `RunFailure`; with the signal's reason when aborted. */
  async post(path: string, body: object, signal: AbortSignal): Promise<object> {
    signal.throwIfAborted();
    let status: number;
    let text: string;
    try {
      const reply = await request(`${this.#base}${path}`, {
        method: 'POST',
        headers: { ...this.#authorization(), 'content-type': 'application/json' },
        // A string, so that it goes out with its length: mlx_lm.server takes no chunks.
        body: JSON.stringify(body),
        dispatcher: this.#agent,
        signal,
      });
      status = reply.statusCode;
      text = await reply.body.text();
    } catch (error) {
      signal.throwIfAborted();
      throw failureOfConnection(error, this.host);
    }
    const reply = parseJson(text);
    // LM Studio tells some of its errors with 200.
    if (status !== 200 || !isRecord(reply) || (member(reply, 'error') ?? null) !== null) {
      throw failureOfReply(status, this.#withoutKey(text));
    }
    return reply;
  }

  /** The JSON that a GET brings, or `undefined` for any other answer. Rejects when there is none. */
  async ask(path: string): Promise<unknown> {
    return await this.#get(`${this.#base}${path}`);
  }

  /** As `ask`, below the server's root: Ollama's own API lies beside `/v1`, not in it. */
  async askRoot(path: string): Promise<unknown> {
    return await this.#get(`${this.#base.replace(/\/v1$/, '')}${path}`);
  }

  /** Ends all requests that still run. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #get(url: string): Promise<unknown> {
    const reply = await request(url, {
      headers: this.#authorization(),
      dispatcher: this.#agent,
      headersTimeout: QUESTION_TIMEOUT_MS,
      bodyTimeout: QUESTION_TIMEOUT_MS,
    });
    const text = await reply.body.text();
    if (reply.statusCode !== 200) return undefined;
    return parseJson(text);
  }

  #authorization(): Record<string, string> {
    return this.#key === undefined ? {} : { authorization: `Bearer ${this.#key}` };
  }

  /** Servers repeat a wrong key in their messages, and those are told to the submitter. */
  #withoutKey(text: string): string {
    return this.#key === undefined ? text : text.replaceAll(this.#key, '[key]');
  }
}
