import type { Context } from 'hono';

/**
 * The URL of the control plane, without a path, as the sender of a request knows it. A trusted proxy says which URL it
 * serves; any other client could send these headers too.
 */
export function requestOrigin(c: Context, trustProxy: boolean): string {
  const { protocol, host } = new URL(c.req.url);
  const forwarded = (name: string) => (trustProxy ? c.req.header(`x-forwarded-${name}`)?.trim() : undefined);
  const scheme = forwarded('proto');
  const isScheme = scheme === 'http' || scheme === 'https';
  const name = forwarded('host') ?? host;
  return `${isScheme ? `${scheme}:` : protocol}//${/^[\w.:[\]-]+$/.test(name) ? name : host}`;
}
