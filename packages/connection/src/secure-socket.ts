import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { connect } from 'node:tls';
import type { Tls } from './tls.ts';

/** What asks a Postgres server whether it speaks TLS (SSLRequest: 8 bytes, 80877103), and its word for yes. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const YES = 'S'.charCodeAt(0);

/**
 * Makes a connection to a Postgres server a secure one, before anything else was said on it. Rejects, and closes
 * it, where that can't be done, or takes longer than `ms`; where TLS was only preferred, it may stay as it is.
 *
 * Done here and not by the driver, which forgets to listen to a TLS connection that ends: what it still writes
 * then would end the process (postgres 3.4.9).
 */
export async function secured(
  raw: Socket,
  { required, options }: Exclude<Tls, false>,
  host: string,
  ms: number,
): Promise<Socket> {
  const over = new AbortController();
  const { signal } = over;
  const timer = setTimeout(() => over.abort(problem('The server does not answer.', 'ETIMEDOUT')), ms);
  // A connection that is closed in the middle of this says nothing else.
  const closed = () => over.abort(problem('The connection to Postgres was closed.', 'CONNECTION_CLOSED'));
  raw.once('close', closed);
  try {
    await once(raw, 'connect', { signal });
    raw.write(SSL_REQUEST);
    const [answer] = (await once(raw, 'data', { signal })) as [Buffer];
    if (answer[0] !== YES) {
      if (!required) return raw;
      throw problem('The server does not speak TLS.', 'NO_TLS');
    }
    // Nobody has a right to speak before TLS does: it would be read as if it had come through it.
    if (answer.length > 1) throw problem('The server says more than it was asked.', 'PROTOCOL_VIOLATION');
    const name = isIP(host) === 0 ? { servername: host } : { host };
    const secure = connect({ ...options, ...name, socket: raw });
    // Whoever uses it takes its listeners away with itself.
    secure.on('error', () => undefined);
    await once(secure, 'secureConnect', { signal });
    return secure;
  } catch (error) {
    raw.destroy();
    throw signal.aborted ? signal.reason : error;
  } finally {
    raw.off('close', closed);
    clearTimeout(timer);
  }
}

function problem(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}
