import { isIP } from 'node:net';
import type { Context } from 'hono';

/**
 * The client's address. Behind a trusted proxy it is the last one of
 * `X-Forwarded-For`, which the proxy wrote. The client may have written the addresses before it.
 */
export function clientAddress(c: Context, trustProxy: boolean): string {
  if (trustProxy) {
    const last = c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
    if (isIP(last) !== 0) return last;
  }
  const address: unknown = c.env?.incoming?.socket?.remoteAddress;
  return typeof address === 'string' ? address : 'unknown';
}
