import { ApiError, Client } from '@macbatch/client';
import { parseSecretText } from '@macbatch/core';
import { type Context, Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { Action } from './actions/action.ts';
import { ACTIONS } from './actions/actions.ts';
import { ConfirmPage } from './actions/confirm-page.tsx';
import { readAssets } from './assets.ts';
import { download } from './download.ts';
import { isFromOwnPage } from './from-own-page.ts';
import { itemDownload } from './item-download.ts';
import { Layout, Main, type PageContent } from './layout.tsx';
import { localPath } from './local-path.ts';
import { isLoopbackHost } from './loopback-host.ts';
import type { Caller, PageContext } from './page-context.ts';
import { PAGES } from './page-table.ts';
import { keepPreferences, preferencesOf } from './preferences.ts';
import { problemPage } from './problem-page.tsx';
import { RenderedOnce } from './rendered-once.ts';
import { dropSession, keepSession, sessionOf } from './session-cookie.ts';
import { SignInPage } from './sign-in-page.tsx';

export interface PagesOptions {
  /** Answers a request to the API. `env` is the environment of the page's own request, with the client's socket. */
  readonly api: (request: Request, env: object) => Promise<Response> | Response;
  /** Receives every error that is not a refusal of the API. Its message never reaches the reader. */
  readonly onError?: (error: Error, request: { readonly method: string; readonly path: string }) => void;
  /** The time that pages show and count from. */
  readonly now?: () => Date;
  /** A monotonic clock in milliseconds. */
  readonly monotonicMs?: () => number;
}

/** Nothing inline, nothing from elsewhere, in no frame. */
const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
  baseUri: ["'none'"],
};

/** The base URL of requests to the API in the same process. */
const API_URL = 'http://macbatch.invalid';

/** Creates the web page: a function from request to response over the API. */
export function createPages(options: PagesOptions): Hono {
  const assets = readAssets();
  const now = options.now ?? (() => new Date());
  const rendered = new RenderedOnce(options.monotonicMs ?? (() => performance.now()));
  const app = new Hono();
  app.use(
    secureHeaders({
      contentSecurityPolicy: CONTENT_SECURITY_POLICY,
      xFrameOptions: 'DENY',
      referrerPolicy: 'same-origin',
    }),
  );
  for (const { path, content, contentType } of Object.values(assets))
    app.get(path, (c) =>
      c.body(content, 200, {
        'content-type': contentType,
        'cache-control': 'public, max-age=31536000, immutable',
      }),
    );
  app.use(async (c, next) => {
    await next();
    c.header('cache-control', 'no-store');
  });
  app.use(async (c, next) => {
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD' && !isFromOwnPage(c))
      return c.text('This form was not sent by a page of this control plane.\n', 403);
    return next();
  });

  const clientFor = (c: Context, session = sessionOf(c)) =>
    new Client({
      baseUrl: API_URL,
      retries: 0,
      fetch: async (url, init) => options.api(new Request(url, init), envOf(c)),
      ...(session === undefined ? {} : { key: session }),
    });

  /** Finds out who asks. Throws `ApiError` if the reader has to sign in. */
  const contextOf = async (c: Context): Promise<PageContext> => {
    const client = clientFor(c);
    const caller = await client.call('readCaller', {});
    assertLoopback(c, caller);
    const { theme, zone } = preferencesOf(c);
    return { client, caller, url: new URL(c.req.url), clock: { zone, now: now() }, theme };
  };

  const show = (
    c: Context,
    context: PageContext,
    content: PageContent,
    status: 200 | 404 | 400 | 403 | 503 = 200,
  ) =>
    c.html(
      isFragment(c)
        ? String(<Main context={context} content={content} />)
        : `<!DOCTYPE html>${String(<Layout context={context} content={content} assets={assets} />)}`,
      status,
    );

  for (const [path, page] of Object.entries(PAGES))
    app.get(path, async (c) => {
      const context = await contextOf(c);
      const { role, group } = context.caller;
      if (!isFragment(c)) return show(c, context, await page(context, c.req.param()));
      const key = JSON.stringify([role, group, context.clock.zone, c.req.url]);
      return c.html(
        await rendered.get(key, async () =>
          String(<Main context={context} content={await page(context, c.req.param())} />),
        ),
      );
    });

  for (const [path, action] of Object.entries<Action>(ACTIONS)) {
    app.get(path, async (c) => {
      const context = await contextOf(c);
      return show(c, context, ConfirmPage(context, await action.confirm(context, c.req.param())));
    });
    app.post(path, async (c) => {
      const context = await contextOf(c);
      const form = new Map(
        Object.entries(await c.req.parseBody()).map(([name, value]) => [name, String(value)]),
      );
      const end = await action.run(context, c.req.param(), form);
      rendered.clear();
      return typeof end === 'string' ? c.redirect(end, 303) : show(c, context, end);
    });
  }

  app.get('/jobs/:id/:file{results\\.(jsonl|csv)}', async (c) => download(await contextOf(c), c));

  app.get('/jobs/:id/items/:seq{\\d+}/:text{(input|output|error|params)\\.json}', async (c) =>
    itemDownload(await contextOf(c), c),
  );

  app.get('/stream', async (c) => {
    await contextOf(c);
    const session = sessionOf(c);
    const request = new Request(`${API_URL}/v1/stream${new URL(c.req.url).search}`, {
      signal: c.req.raw.signal,
      headers: session === undefined ? {} : { authorization: `Bearer ${session}` },
    });
    return options.api(request, envOf(c));
  });

  const signIn = (c: Context, next: string, problem: string | null, status: 200 | 401 | 429) =>
    c.html(
      `<!DOCTYPE html>${String(<SignInPage next={localPath(next)} problem={problem} theme={preferencesOf(c).theme} assets={assets} />)}`,
      status,
    );
  app.get('/sign-in', (c) => signIn(c, c.req.query('next') ?? '/', null, 200));
  app.post('/sign-in', async (c) => {
    const { key, next } = await c.req.parseBody();
    const text = String(key ?? '').trim();
    const to = String(next ?? '/');
    if (parseSecretText('mbk', text) === null) return signIn(c, to, 'This is not a key.', 401);
    try {
      const { session, expires_at } = await clientFor(c, text).call('createSession', {});
      keepSession(c, session, expires_at);
      return c.redirect(localPath(to), 303);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      if (error.status === 429) return signIn(c, to, 'Too many wrong keys. Try again in a minute.', 429);
      return signIn(c, to, error.message, 401);
    }
  });
  app.post('/sign-out', async (c) => {
    if (sessionOf(c) !== undefined) {
      try {
        await clientFor(c).call('endSession', {});
      } catch (error) {
        // It has ended already.
        if (!(error instanceof ApiError && error.status === 401)) throw error;
      }
    }
    dropSession(c);
    return c.redirect('/sign-in', 303);
  });

  app.post('/preferences', async (c) => {
    const { theme, zone, next } = await c.req.parseBody();
    keepPreferences(c, { theme: String(theme ?? ''), zone: String(zone ?? '') });
    return c.redirect(localPath(String(next ?? '/')), 303);
  });

  const problem = async (c: Context, title: string, text: string, status: 404 | 400 | 403 | 503) => {
    const content = problemPage(title, text);
    try {
      return show(c, await contextOf(c), content, status);
    } catch {
      // The frame of the page needs the API too.
      return c.text(`${title}\n\n${text}\n`, status);
    }
  };
  app.notFound((c) =>
    problem(c, 'This page does not exist', `There is nothing at ${new URL(c.req.url).pathname}.`, 404),
  );
  app.onError((error, c) => {
    if (error instanceof RefusedHost) return c.text(error.message, 403);
    if (!(error instanceof ApiError)) {
      options.onError?.(error, { method: c.req.method, path: c.req.path });
      return c.text('An internal error occurred. The log of the control plane has the details.\n', 500);
    }
    if (error.status === 401) {
      const { pathname, search } = new URL(c.req.url);
      const next = c.req.method === 'GET' ? pathname + search : '/';
      const location = `/sign-in?next=${encodeURIComponent(next)}`;
      if (!isFragment(c) && pathname !== '/stream') return c.redirect(location, 303);
      return c.text('Sign in again.', 401, { 'hx-redirect': location });
    }
    if (error.status === 404) return problem(c, 'Not found', error.message, 404);
    if (error.status === 403) return problem(c, 'Not allowed', error.message, 403);
    if (error.status === 429) return c.text(`${error.message}\n`, 429);
    if (error.status < 500) return problem(c, 'This does not work', error.message, 400);
    return problem(c, 'Not now', error.message, 503);
  });
  return app;
}

/** The environment of a request: with Node, its socket. */
const envOf = (c: Context): object => c.env ?? {};

/** A request for the part of a page that changes. */
const isFragment = (c: Context) => c.req.header('hx-request') === 'true';

class RefusedHost extends Error {}

/** Without keys, everybody who reaches this machine may do everything, so no other site may send its readers here. */
function assertLoopback(c: Context, { open }: Caller): void {
  const host = c.req.header('host') ?? new URL(c.req.url).host;
  if (!open || isLoopbackHost(host)) return;
  throw new RefusedHost(
    `This control plane has no keys, so it answers only under the name of this machine, not as ${host.slice(0, 100)}. Open http://127.0.0.1 with its port.`,
  );
}
