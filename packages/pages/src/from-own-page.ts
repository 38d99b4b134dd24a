import type { Context } from 'hono';

/**
 * Whether a request that changes something was sent by a page of this site. Browsers say where a form comes from in
 * `Origin` and `Sec-Fetch-Site`. The scheme of the origin is not compared, because a proxy may end TLS.
 */
export function isFromOwnPage(c: Context): boolean {
  const site = c.req.header('sec-fetch-site');
  const origin = c.req.header('origin');
  if (site === undefined && origin === undefined) return false;
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  return new URL(origin).host === (c.req.header('host') ?? new URL(c.req.url).host);
}
