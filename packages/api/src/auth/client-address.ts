import { isIP } from 'node:net';
import type { Context } from 'hono';

/**
 * The address that a request comes from. Behind a proxy that is trusted it is the last one of
 * `X-Forwarded-For`, which that proxy wrote itself; whatever stands before it comes from the client.
 */
export function clientAddress(c: Context, trustProxy: boolean): string {
  if (trustProxy) {
    const last = c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
    if (isIP(last) !== 0) return last;
  }
  const address: unknown = c.env?.incoming?.socket?.remoteAddress;
  return typeof address === 'string' ? address : 'unknown';
}
