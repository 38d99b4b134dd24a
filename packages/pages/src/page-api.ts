import { Client } from '@macbatch/client';
import type { Context } from 'hono';
import type { PageContext } from './page-context.ts';
import { preferencesOf } from './preferences.ts';
import { sessionOf } from './session-cookie.ts';

/** Answers a request to the API. `env` is the environment of the page's own request, with the client's socket. */
export type CallApi = (request: Request, env: object) => Promise<Response> | Response;

/** The base URL of requests to the API in the same process. */
const API_URL = 'http://macbatch.invalid';

/** The API as a reader of pages may use it: with the session, the address and the `Host` of the page's own request. */
export class PageApi {
  readonly #call: CallApi;
  readonly #now: () => Date;

  constructor(call: CallApi, now: () => Date) {
    this.#call = call;
    this.#now = now;
  }

  /** A client with the rights of this key or session: those of the reader by default. */
  client(c: Context, key = sessionOf(c)): Client {
    return new Client({
      baseUrl: API_URL,
      retries: 0,
      fetch: async (url, init) => this.#send(c, new Request(url, init)),
      ...(key === undefined ? {} : { key }),
    });
  }

  /** Finds out who asks for a page. Throws `ApiError` if the reader has to sign in, or may not come in. */
  async context(c: Context): Promise<PageContext> {
    const client = this.client(c);
    const caller = await client.call('readCaller', {});
    const { theme, zone } = preferencesOf(c);
    return { client, caller, url: new URL(c.req.url), clock: { zone, now: this.#now() }, theme };
  }

  /**
   * The stream of changes that the query of a request names, until the reader goes away.
   *
   * @param onEvent Called before the reader gets each event, with the event's text.
   */
  async stream(c: Context, onEvent: (text: string) => void): Promise<Response> {
    const session = sessionOf(c);
    const headers = session === undefined ? {} : { authorization: `Bearer ${session}` };
    const url = `${API_URL}/v1/stream${new URL(c.req.url).search}`;
    const response = await this.#send(c, new Request(url, { signal: c.req.raw.signal, headers }));
    if (!response.ok || response.body === null) return response;
    const decoder = new TextDecoder();
    const watched = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(event, controller) {
          onEvent(decoder.decode(event));
          controller.enqueue(event);
        },
      }),
    );
    return new Response(watched, response);
  }

  async #send(c: Context, request: Request): Promise<Response> {
    const host = c.req.header('host');
    if (host !== undefined) request.headers.set('host', host);
    return this.#call(request, c.env ?? {});
  }
}
