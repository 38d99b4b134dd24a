import type { RequestEndpoint } from '@macbatch/core';
import { isRecord, member } from '../json-value.ts';
import { RunFailure } from '../runtime.ts';
import {
  type BoundedReply,
  type BoundedRequest,
  boundedRequest,
  type RequestBounds,
  RequestFailure,
} from './bounded-request.ts';
import { isError } from './completion.ts';
import { failureOfConnection } from './connection-failure.ts';
import { ownHeaders } from './own-headers.ts';
import { isSuccess, type RawOutput, rawOutput } from './raw-reply.ts';
import { endpointHeaders, pathBelowBase } from './raw-request.ts';
import { parseReply } from './reply-json.ts';
import type { ReplyHeaders } from './retry-after.ts';
import { type ServerAddress, serverAddress } from './server-address.ts';
import { type ProxySettings, type ServerConnections, serverConnections } from './server-connections.ts';
import { failureOfReply } from './server-failure.ts';
import { withoutSecrets } from './server-secrets.ts';
import { streamedReply } from './streamed-reply.ts';

const MEGABYTE = 1024 * 1024;
/** Bounds of requests for metadata, such as models and version. */
const METADATA_BOUNDS: RequestBounds = { timeoutMs: 5000, maxBytes: 8 * MEGABYTE };
/** Longest answer to an item. The control plane accepts 64 MB, and JSON inside JSON may double in length. */
const MAX_ANSWER_BYTES = 32 * MEGABYTE;

export interface ModelServerConfig {
  /** Base URL of the API, usually ending in `/v1`. Every request carries its query. */
  readonly url: string;
  readonly key?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly proxies?: ProxySettings | undefined;
  /** How long one item may take, in milliseconds. */
  readonly timeoutMs: number;
}

/** Sends requests to a model server. Knows its URL, headers, proxy and time limit. */
export class ModelServer {
  /** Host name and port, for messages. */
  readonly host: string;
  /** Replaces keys, headers and passwords in a text. */
  readonly withoutSecrets: (text: string) => string;
  readonly #address: ServerAddress;
  readonly #key: string | undefined;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #connections: ServerConnections;
  readonly #bounds: RequestBounds;

  constructor({ url, key, headers = {}, proxies, timeoutMs }: ModelServerConfig) {
    this.#address = serverAddress(url);
    const { host } = this.#address;
    this.host = host;
    if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
      throw new Error(`the key of the model server ${host} contains characters that a header cannot carry`);
    }
    this.#key = key;
    const own = ownHeaders(headers, host);
    if (key !== undefined && own['authorization'] !== undefined) {
      throw new Error(`the model server ${host} has a key and a header "authorization": set one of them`);
    }
    this.#headers = { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...own };
    this.#connections = serverConnections(this.#address.isEncrypted, timeoutMs, proxies);
    this.#bounds = { timeoutMs, maxBytes: MAX_ANSWER_BYTES };
    this.withoutSecrets = withoutSecrets({
      key: key === undefined ? [] : [key],
      header: Object.values(own),
      query: this.#address.queryValues,
      proxy: this.#connections.secrets,
    });
  }

  /**
   * Posts a request and returns the JSON object of the reply. Rejects with `RunFailure`, or with the signal's reason
   * when aborted.
   */
  async post(path: string, body: object, signal: AbortSignal): Promise<object> {
    return this.#postJson(this.#address.url(path), body, signal);
  }

  /** Like `post`, but below the server's root: Ollama's own API is not below `/v1`. */
  async postRoot(path: string, body: object, signal: AbortSignal): Promise<object> {
    return this.#postJson(this.#address.rootUrl(path), body, signal);
  }

  async #postJson(url: string, body: object, signal: AbortSignal): Promise<object> {
    const { status, headers, text } = await this.#exchange(url, jsonText(body), signal);
    const reply = parseReply(text) ?? streamedReply(text);
    // LM Studio sends some errors with status 200.
    if (status !== 200 || !isRecord(reply) || isError(member(reply, 'error'))) {
      const body = this.withoutSecrets(redirectText(status, headers) ?? text);
      throw failureOfReply({ status, body, headers }, Date.now());
    }
    return reply;
  }

  /**
   * Posts a raw request and returns the JSON text of the reply, which the status alone judges. Rejects with
   * `RunFailure`, or with the signal's reason when aborted.
   */
  async postRaw(endpoint: RequestEndpoint, body: string, signal: AbortSignal): Promise<RawOutput> {
    const more = endpointHeaders(endpoint, this.#key);
    const { status, headers, text } = await this.#exchange(
      this.#address.url(pathBelowBase(endpoint)),
      body,
      signal,
      more,
    );
    const isOk = isSuccess(status);
    const answer = isOk ? text : this.withoutSecrets(redirectText(status, headers) ?? text);
    return rawOutput({ status, headers, body: answer }, Date.now());
  }

  /** Sends a body and reads the whole reply. Rejects if a reply of success is too long or no text. */
  async #exchange(
    url: string,
    body: string,
    signal: AbortSignal,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Pick<BoundedReply, 'status' | 'headers' | 'text'>> {
    const request = this.#request('POST', {
      // A string has a content-length. mlx_lm.server does not accept chunks.
      body,
      headers: { ...more, ...this.#headers, 'content-type': 'application/json' },
    });
    const { status, headers, text, isTooLong, isDamaged } = await boundedRequest(
      url,
      request,
      this.#bounds,
      signal,
    ).catch((error: unknown) => {
      throw error instanceof RequestFailure ? this.#failureOf(error) : error;
    });
    const isOk = isSuccess(status);
    // Bytes that are no JSON either are no answer to this item: the page of a proxy, for example.
    if (isOk && isDamaged && (parseReply(text) ?? streamedReply(text)) !== undefined) {
      throw new RunFailure(
        'permanent',
        'unreadable_answer',
        `the model server ${this.host} answered with bytes that are not UTF-8, and named no other encoding`,
      );
    }
    if (isOk && isTooLong) {
      throw new RunFailure(
        'permanent',
        'answer_too_large',
        `the model server ${this.host} answered with more than ${MAX_ANSWER_BYTES / MEGABYTE} MB`,
      );
    }
    return { status, headers, text };
  }

  /** Gets JSON; `undefined` for a reply that is not a 200 with JSON. Rejects when the server does not answer. */
  async ask(path: string): Promise<unknown> {
    return await this.#get(this.#address.url(path));
  }

  /** Like `ask`, but below the server's root. */
  async askRoot(path: string): Promise<unknown> {
    return await this.#get(this.#address.rootUrl(path));
  }

  /** Aborts all requests. */
  async close(): Promise<void> {
    await this.#connections.dispatcher.destroy();
  }

  async #get(url: string): Promise<unknown> {
    const { status, text, isTooLong } = await boundedRequest(url, this.#request('GET'), METADATA_BOUNDS);
    return status === 200 && !isTooLong ? parseReply(text) : undefined;
  }

  #request(method: BoundedRequest['method'], more: Partial<BoundedRequest> = {}): BoundedRequest {
    return { method, headers: this.#headers, dispatcher: this.#connections.dispatcher, ...more };
  }

  #failureOf({ cause, isTimeout, bytesArrived }: RequestFailure): RunFailure {
    const { proxy } = this.#connections;
    const server = proxy === null ? this.host : `${this.host} (through the proxy ${proxy})`;
    if (!isTimeout) return failureOfConnection(cause, server, { bytesArrived });
    const seconds = this.#bounds.timeoutMs / 1000;
    const what = bytesArrived ? 'finish its answer' : 'answer';
    return new RunFailure(
      'timeout',
      'timeout',
      `the model server ${server} did not ${what} within ${seconds} s`,
      {
        cause,
        bytesArrived,
      },
    );
  }
}

/** Requests follow no redirect: a key would go to another server. */
function redirectText(status: number, { location }: ReplyHeaders): string | null {
  if (status < 300 || status > 399 || typeof location !== 'string') return null;
  return `it redirects to ${location}; if that is right, use it as URL`;
}

function jsonText(body: object): string {
  try {
    return JSON.stringify(body);
  } catch (error) {
    // The call stack does not suffice.
    throw new RunFailure('permanent', 'invalid_payload', 'the payload is nested too deeply to be sent', {
      cause: error,
    });
  }
}
