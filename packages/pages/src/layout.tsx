import type { Child } from 'hono/jsx';
import type { Asset, AssetName } from './assets.ts';
import { mayAdminister, type PageContext, type Theme } from './page-context.ts';

/** What a page shows, and how it is kept up to date. */
export interface PageContent {
  readonly title: string;
  /** What changes on the page, in one sentence: screen readers say it from time to time. Null: nothing. */
  readonly summary: string | null;
  /** What the page watches, for `/stream?topics=`; empty for a page that does not change by itself. */
  readonly topics: readonly string[];
  readonly body: Child;
}

type Assets = Readonly<Record<AssetName, Asset>>;

const SECTIONS = [
  { path: '/', name: 'Jobs', admin: false },
  { path: '/macs', name: 'Macs', admin: false },
  { path: '/throughput', name: 'Throughput', admin: false },
  { path: '/events', name: 'Events', admin: false },
  { path: '/admin', name: 'Admin', admin: true },
] as const;

/** Htmx adds no style, evaluates nothing, and keeps no copies of pages in the browser's storage. */
const HTMX_CONFIG = JSON.stringify({
  includeIndicatorCSS: false,
  extensions: 'sse',
  history: false,
  // After an outage, a page is live again within ten seconds.
  sse: { reconnectMaxDelay: 10_000 },
});

const SCRIPTS = ['htmx.min.js', 'hx-sse.min.js', 'uPlot.iife.min.js', 'plots.js', 'page.js'] as const;

/** A whole page: the header, which stays, and `<main>`, which updates replace. */
export function Layout({
  context,
  content,
  assets,
}: {
  readonly context: PageContext;
  readonly content: PageContent;
  readonly assets: Assets;
}) {
  const { url, caller, clock, theme } = context;
  return (
    <Document title={content.title} theme={theme} assets={assets}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href="/">
          <Mark />
          macbatch
        </a>
        <nav aria-label="Pages">
          <ul>
            {SECTIONS.filter(({ admin }) => !admin || mayAdminister(context)).map(({ path, name }) => (
              <li>
                <a href={path} aria-current={isIn(url.pathname, path) ? 'page' : undefined}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="status">
          <span id="connection" class="connection" data-state="loading" hidden>
            <span class="dot" />
            <span id="connection-text">connecting</span>
          </span>
          <button id="pause" class="quiet" type="button" aria-pressed="false" title="Key: r" hidden>
            Pause updates
          </button>
          <Settings context={context} />
          {!caller.open && (
            <form method="post" action="/sign-out">
              <button class="quiet" type="submit" title={`Signed in with the role ${caller.role}`}>
                Sign out
              </button>
            </form>
          )}
        </div>
      </header>
      {content.topics.length > 0 && (
        <div
          id="live"
          hidden
          hx-sse:connect={`/stream?topics=${encodeURIComponent(content.topics.join(','))}`}
          hx-swap="none"
        />
      )}
      <Main context={context} content={content} />
      <p id="announcer" class="visually-hidden" role="status" aria-live="polite" />
      <footer class="bottom">
        <span>macbatch {caller.version}</span>
        <span>
          Times: <span id="zone-name">{clock.zone}</span>. Keys: <kbd>/</kbd> find, <kbd>r</kbd> pause
          updates, <kbd>j</kbd> jobs, <kbd>m</kbd> Macs
        </span>
      </footer>
    </Document>
  );
}

/** The part of a page that updates replace. */
export function Main({ context, content }: { readonly context: PageContext; readonly content: PageContent }) {
  const { url, clock } = context;
  return (
    <main
      id="main"
      tabindex={-1}
      data-title={content.title}
      data-summary={content.summary ?? undefined}
      data-as-of={clock.now.toISOString()}
      {...(content.topics.length === 0
        ? {}
        : {
            'hx-get': url.pathname + url.search,
            'hx-trigger': 'refresh',
            'hx-swap': 'outerMorph',
          })}
    >
      {content.body}
    </main>
  );
}

/** The frame of every document, with the files that it loads. */
export function Document({
  title,
  theme,
  assets,
  children,
}: {
  readonly title: string;
  readonly theme: Theme;
  readonly assets: Assets;
  readonly children: Child;
}) {
  return (
    <html lang="en" data-theme={theme ?? undefined}>
      <head>
        <meta charset="utf-8" />
        <title>{`${title} · macbatch`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={theme ?? 'light dark'} />
        <meta name="htmx-config" content={HTMX_CONFIG} />
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={assets['uPlot.min.css'].path} />
        <link rel="stylesheet" href={assets['page.css'].path} />
      </head>
      <body>
        {children}
        {/* Htmx starts after all of these scripts. If they were deferred, it could start before the rest has arrived. */}
        {SCRIPTS.map((name) => (
          <script src={assets[name].path} />
        ))}
      </body>
    </html>
  );
}

function Settings({ context: { url, theme, clock } }: { readonly context: PageContext }) {
  return (
    <details class="settings">
      <summary>Settings</summary>
      <form method="post" action="/preferences">
        <input type="hidden" name="next" value={url.pathname + url.search} />
        <label>
          Colours
          <select name="theme">
            <option value="" selected={theme === null}>
              like the system
            </option>
            <option value="light" selected={theme === 'light'}>
              light
            </option>
            <option value="dark" selected={theme === 'dark'}>
              dark
            </option>
          </select>
        </label>
        <label>
          Time zone
          <input name="zone" value={clock.zone} list="zones" autocomplete="off" spellcheck={false} />
          <datalist id="zones">
            <option id="local-zone" value="UTC" />
            <option value="UTC" />
          </datalist>
        </label>
        <button type="submit">Save</button>
      </form>
    </details>
  );
}

/** The mark: three machines that share one queue. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
      <rect x="2" y="4" width="20" height="4" rx="2" />
      <rect x="2" y="10" width="13" height="4" rx="2" />
      <rect x="2" y="16" width="7" height="4" rx="2" />
    </svg>
  );
}

const isIn = (path: string, section: string) =>
  section === '/' ? path === '/' || path.startsWith('/jobs') : path.startsWith(section);
