import { ApiError } from '@macbatch/client';
import type { Context, Hono } from 'hono';
import type { PageApi } from './page-api.ts';
import { problemPage } from './problem-page.tsx';
import { isFragment, type ShowPage } from './show-page.tsx';

/** Receives every error that is not a refusal of the API. Its message never reaches the reader. */
export type OnError = (error: Error, request: { readonly method: string; readonly path: string }) => void;

/** Answers every refusal of the API with a page that says so, and sends readers without a session to the sign-in. */
export function mountErrorPages(app: Hono, api: PageApi, show: ShowPage, onError: OnError): void {
  const problem = async (c: Context, title: string, text: string, status: 400 | 403 | 404 | 503) => {
    try {
      return await show(c, await api.context(c), problemPage(title, text), status);
    } catch {
      // The frame of the page needs the API too.
      return c.text(`${title}\n\n${text}\n`, status);
    }
  };

  app.notFound((c) =>
    problem(c, 'This page does not exist', `There is nothing at ${new URL(c.req.url).pathname}.`, 404),
  );

  app.onError((error, c) => {
    if (!(error instanceof ApiError)) {
      onError(error, { method: c.req.method, path: c.req.path });
      return c.text('An internal error occurred. The log of the control plane has the details.\n', 500);
    }
    const { status, message } = error;
    if (status === 401) return toSignIn(c);
    if (status === 403) return problem(c, 'Not allowed', message, 403);
    if (status === 404) return problem(c, 'Not found', message, 404);
    if (status === 429) return c.text(`${message}\n`, 429);
    if (status < 500) return problem(c, 'This does not work', message, 400);
    return problem(c, 'Not now', message, 503);
  });
}

function toSignIn(c: Context): Response {
  const { pathname, search } = new URL(c.req.url);
  const next = c.req.method === 'GET' ? pathname + search : '/';
  const location = `/sign-in?next=${encodeURIComponent(next)}`;
  if (!isFragment(c) && pathname !== '/stream') return c.redirect(location, 303);
  return c.text('Sign in again.', 401, { 'hx-redirect': location });
}
