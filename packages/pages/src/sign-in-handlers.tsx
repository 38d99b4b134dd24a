import { ApiError } from '@macbatch/client';
import { parseSecretText } from '@macbatch/core';
import type { Context, Hono } from 'hono';
import type { Asset, AssetName } from './assets.ts';
import { localPath } from './local-path.ts';
import type { PageApi } from './page-api.ts';
import { preferencesOf } from './preferences.ts';
import { dropSession, keepSession, sessionOf } from './session-cookie.ts';
import { SignInPage } from './sign-in-page.tsx';

/** Mounts the form that exchanges a key for a session, and the end of a session. */
export function mountSignIn(app: Hono, api: PageApi, assets: Readonly<Record<AssetName, Asset>>): void {
  const form = (c: Context, next: string, problem: string | null, status: 200 | 401 | 429) => {
    const { theme } = preferencesOf(c);
    const page = <SignInPage next={localPath(next)} problem={problem} theme={theme} assets={assets} />;
    return c.html(`<!DOCTYPE html>${String(page)}`, status);
  };

  app.get('/sign-in', (c) => form(c, c.req.query('next') ?? '/', null, 200));

  app.post('/sign-in', async (c) => {
    const { key, next } = await c.req.parseBody();
    const text = String(key ?? '').trim();
    const to = String(next ?? '/');
    if (parseSecretText('mbk', text) === null) return form(c, to, 'This is not a key.', 401);
    try {
      const { session, expires_at } = await api.client(c, text).call('createSession', {});
      keepSession(c, session, expires_at);
      return c.redirect(localPath(to), 303);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      if (error.status === 429) return form(c, to, 'Too many wrong keys. Try again in a minute.', 429);
      return form(c, to, error.message, 401);
    }
  });

  app.post('/sign-out', async (c) => {
    if (sessionOf(c) !== undefined) {
      try {
        await api.client(c).call('endSession', {});
      } catch (error) {
        // It has ended already.
        if (!(error instanceof ApiError && error.status === 401)) throw error;
      }
    }
    dropSession(c);
    return c.redirect('/sign-in', 303);
  });
}
