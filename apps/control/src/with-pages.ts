import { fileURLToPath } from 'node:url';
import type { PagesOptions } from '@macbatch/pages';
import type { Hono } from 'hono';

type Fetch = Hono['fetch'];
type Pages = typeof import('@macbatch/pages');

/** The paths of the API. All others belong to the pages. */
const API_PATH = /^\/(v1(\/.*)?|metrics|healthz|readyz|openapi\.json)$/;

export interface WithPagesOptions {
  readonly onError: NonNullable<PagesOptions['onError']>;
  readonly load?: () => Promise<Pages>;
}

/**
 * Answers requests for pages by the pages, and all others by the API. The pages are loaded with the first request for
 * one, so that a control plane that nobody looks at starts sooner and needs less memory.
 */
export function withPages(api: Fetch, { onError, load = loadPages }: WithPagesOptions): Fetch {
  let pages: Promise<Fetch> | undefined;
  return async (request, env, context) => {
    const path = new URL(request.url).pathname;
    if (API_PATH.test(path)) return api(request, env, context);
    pages ??= load().then(({ createPages }) => createPages({ api, onError }).fetch);
    try {
      return (await pages)(request, env, context);
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)), { method: request.method, path });
      return new Response('The pages cannot be loaded. The log of the control plane has the details.\n', {
        status: 500,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
      });
    }
  };
}

async function loadPages(): Promise<Pages> {
  // From source, because Node does not load JSX.
  if (import.meta.url.endsWith('.ts')) {
    const { register } = await import('tsx/esm/api');
    const settings = new URL('../tsconfig.json', import.meta.resolve('@macbatch/pages'));
    register({ tsconfig: fileURLToPath(settings) });
  }
  return import('@macbatch/pages');
}
