import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { Theme } from './page-context.ts';
import { knownZone } from './times.tsx';

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Reads the reader's colours and time zone from the cookies of a request. */
export function preferencesOf(c: Context): { readonly theme: Theme; readonly zone: string } {
  const theme = getCookie(c, 'theme');
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : null,
    zone: knownZone(getCookie(c, 'zone')),
  };
}

/** Keeps the reader's choices in cookies. */
export function keepPreferences(c: Context, { theme, zone }: { theme: string; zone: string }): void {
  const options = { path: '/', sameSite: 'Lax', maxAge: YEAR_SECONDS } as const;
  setCookie(c, 'theme', theme === 'light' || theme === 'dark' ? theme : '', options);
  setCookie(c, 'zone', knownZone(zone), options);
}
