import { createApp, newSecret } from '@macbatch/api';
import type { KeyRole } from '@macbatch/core';
import { type SharedStore, sharedStore } from '@macbatch/store/testing';
import type { Hono } from 'hono';
import { createPages } from '../create-pages.ts';

/** A control plane with its pages, for the tests of a file. Its database is emptied before each test. */
export interface PageApp {
  readonly db: SharedStore;
  readonly errors: readonly Error[];
  /** Requests a page. Redirects are not followed. */
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Requests a page and returns its HTML. Throws unless the status is as expected. */
  html(path: string, status?: number, headers?: Record<string, string>): Promise<string>;
  /** Sends a form as a browser does. */
  post(path: string, form?: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
  /** Calls the API itself. */
  api<Reply>(method: string, path: string, body?: unknown, key?: string): Promise<Reply>;
  /** Creates a key and returns its text. */
  keyFor(role: KeyRole, group?: string): Promise<string>;
  /** Signs in and returns the header that carries the session. */
  signIn(key: string): Promise<{ readonly cookie: string }>;
}

const ORIGIN = 'http://127.0.0.1';

export interface PageAppOptions {
  readonly open?: boolean;
  /** Shares what was rendered between all requests, as if no time passed. */
  readonly isTimeStanding?: boolean;
}

export function pageApp({ open = true, isTimeStanding = false }: PageAppOptions = {}): PageApp {
  const db = sharedStore();
  const errors: Error[] = [];
  /** Calls of the API. A page that is refused may leave some under way, which the next test must not meet. */
  const calls: Promise<Response>[] = [];
  const request = async (path: string, init: RequestInit) => {
    const response = await openedPages().request(`${ORIGIN}${path}`, init);
    await Promise.allSettled(calls.splice(0));
    return response;
  };
  let api: Hono | undefined;
  let pages: Hono | undefined;
  const onError = (error: Error) => errors.push(error);
  const openedApi = () => {
    api ??= createApp({ store: db.store, open, onError });
    return api;
  };
  const openedPages = () => {
    // Nothing is shared between requests, so that each one shows what the test has just done.
    let tick = 0;
    pages ??= createPages({
      api: (request, env) => {
        const answer = Promise.resolve(openedApi().fetch(request, env));
        calls.push(answer);
        return answer;
      },
      onError,
      monotonicMs: () => {
        if (!isTimeStanding) tick += 1000;
        return tick;
      },
    });
    return pages;
  };
  const app: PageApp = {
    db,
    errors,
    get: (path, headers = {}) => request(path, { headers }),
    async html(path, status = 200, headers = {}) {
      const response = await app.get(path, headers);
      const text = await response.text();
      if (response.status !== status)
        throw new Error(`${path} answered ${response.status}: ${text.slice(0, 500)}`);
      return text;
    },
    post: (path, form = {}, headers = {}) =>
      request(path, {
        method: 'POST',
        body: new URLSearchParams(form),
        headers: { origin: ORIGIN, 'sec-fetch-site': 'same-origin', ...headers },
      }),
    async api<Reply>(method: string, path: string, body?: unknown, key?: string) {
      const response = await openedApi().request(path, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()) as Reply;
    },
    async keyFor(role, group = 'us') {
      const { text, stored } = newSecret('mbk');
      await db.store.keys.add({
        ...stored,
        role,
        name: role,
        owner: group,
        workerId: role === 'worker' ? 'ann' : null,
        expiresInMs: null,
      });
      return text;
    },
    async signIn(key) {
      const response = await app.post('/sign-in', { key, next: '/' });
      const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
      return { cookie };
    },
  };
  return app;
}
