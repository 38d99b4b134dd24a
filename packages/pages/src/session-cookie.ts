import { parseSecretText } from '@macbatch/core';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';

const NAME = 'macbatch_session';
/** Scripts cannot read it, and no request from another site carries it. */
const OPTIONS = { path: '/', httpOnly: true, sameSite: 'Strict' } as const;

/** The session of a request, to be sent to the API as a key; undefined if there is none or it is garbled. */
export function sessionOf(c: Context): string | undefined {
  const session = getCookie(c, NAME) ?? '';
  return parseSecretText('mbs', session) === null ? undefined : session;
}

/** Stores the session in the browser until it expires. Only over TLS if the page came over TLS. */
export function keepSession(c: Context, session: string, expiresAt: string): void {
  setCookie(c, NAME, session, { ...OPTIONS, secure: isSecure(c), expires: new Date(expiresAt) });
}

export function dropSession(c: Context): void {
  deleteCookie(c, NAME, { ...OPTIONS, secure: isSecure(c) });
}

/** A proxy that ends TLS says so. A client that lies about it only loses its own cookie. */
const isSecure = (c: Context) =>
  new URL(c.req.url).protocol === 'https:' || c.req.header('x-forwarded-proto') === 'https';
