import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { Action } from './actions/action.ts';
import { ACTIONS } from './actions/actions.ts';
import { confirmPage } from './actions/confirm-page.tsx';
import { type Asset, readAssets } from './assets.ts';
import { download } from './download.ts';
import { mountErrorPages, type OnError } from './error-pages.ts';
import { isFromOwnPage } from './from-own-page.ts';
import { itemDownload } from './item-download.ts';
import { localPath } from './local-path.ts';
import { type CallApi, PageApi } from './page-api.ts';
import { PAGES } from './page-table.ts';
import { keepPreferences } from './preferences.ts';
import { RenderedOnce } from './rendered-once.ts';
import { isFragment, renderFragment, showPages } from './show-page.tsx';
import { mountSignIn } from './sign-in-handlers.tsx';

export interface PagesOptions {
  readonly api: CallApi;
  readonly onError?: OnError;
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

/** Creates the web page: a function from request to response over the API. */
export function createPages(options: PagesOptions): Hono {
  const assets = readAssets();
  const api = new PageApi(options.api, options.now ?? (() => new Date()));
  const show = showPages(assets);
  const app = new Hono();
  protect(app, Object.values(assets));
  const rendered = new RenderedOnce(options.monotonicMs ?? (() => performance.now()));

  for (const [path, page] of Object.entries(PAGES))
    app.get(path, async (c) => {
      const context = await api.context(c);
      const content = () => page(context, c.req.param());
      if (!isFragment(c)) return show(c, context, await content());
      const { role, group } = context.caller;
      const key = JSON.stringify([role, group, context.clock.zone, c.req.url]);
      return c.html(await rendered.get(key, async () => renderFragment(context, await content())));
    });

  for (const [path, action] of Object.entries<Action>(ACTIONS)) {
    app.get(path, async (c) => {
      const context = await api.context(c);
      return show(c, context, confirmPage(context, await action.confirm(context, c.req.param())));
    });
    app.post(path, async (c) => {
      const context = await api.context(c);
      const fields = Object.entries(await c.req.parseBody());
      const form = new Map(fields.map(([name, value]) => [name, String(value)]));
      const end = await action.run(context, c.req.param(), form);
      rendered.clear();
      return typeof end === 'string' ? c.redirect(end, 303) : show(c, context, end);
    });
  }

  app.get('/jobs/:id/:file{results\\.(jsonl|csv)}', async (c) => download(await api.context(c), c));
  app.get('/jobs/:id/items/:seq{\\d+}/:text{(input|output|error|params)\\.json}', async (c) =>
    itemDownload(await api.context(c), c),
  );
  app.get('/stream', async (c) => {
    // Throws what a reader has to be told; the stream itself would only end.
    await api.context(c);
    return api.stream(c, (event) => rendered.clearAt(/^id: (.*)$/m.exec(event)?.[1]));
  });
  app.post('/preferences', async (c) => {
    const { theme, zone, next } = await c.req.parseBody();
    keepPreferences(c, { theme: String(theme ?? ''), zone: String(zone ?? '') });
    return c.redirect(localPath(String(next ?? '/')), 303);
  });
  mountSignIn(app, api, assets);
  mountErrorPages(app, api, show, options.onError ?? (() => undefined));
  return app;
}

/** Serves the assets, forbids caches to keep anything else, and refuses forms that other sites send. */
function protect(app: Hono, assets: readonly Asset[]): void {
  app.use(
    secureHeaders({
      contentSecurityPolicy: CONTENT_SECURITY_POLICY,
      xFrameOptions: 'DENY',
      referrerPolicy: 'same-origin',
    }),
  );
  for (const { path, content, contentType } of assets)
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
}
