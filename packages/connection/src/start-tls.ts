import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { connect } from 'node:tls';
import type { Tls } from './tls.ts';

/** Asks a Postgres server for TLS: SSLRequest, 8 bytes, 80877103. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
/** The server's answer when it accepts TLS. */
const ACCEPTED = 'S'.charCodeAt(0);

/**
 * Starts TLS on a new connection to a Postgres server. Returns the plain socket when TLS is only preferred and the
 * server has none. Otherwise closes the connection and rejects when TLS fails or takes longer than `timeoutMs`.
 *
 * The driver's own TLS does not handle errors of a TLS socket that ends: writing to it then ends the process
 * (postgres 3.4.9).
 */
export async function startTls(
  raw: Socket,
  { required, options }: Exclude<Tls, false>,
  host: string,
  timeoutMs: number,
): Promise<Socket> {
  const failed = new AbortController();
  const { signal } = failed;
  const timer = setTimeout(
    () => failed.abort(problem('The server did not answer in time.', 'ETIMEDOUT')),
    timeoutMs,
  );
  // A connection that closes during the handshake emits no error.
  const closed = () => failed.abort(problem('The connection to Postgres was closed.', 'CONNECTION_CLOSED'));
  raw.once('close', closed);
  try {
    await once(raw, 'connect', { signal });
    raw.write(SSL_REQUEST);
    const [answer] = (await once(raw, 'data', { signal })) as [Buffer];
    if (answer[0] !== ACCEPTED) {
      if (!required) return raw;
      throw problem('The server does not support TLS.', 'NO_TLS');
    }
    // Plain bytes before the handshake may come from an attacker, and would be read as if TLS had protected them.
    if (answer.length > 1)
      throw problem('The server sent plain bytes before the TLS handshake.', 'PROTOCOL_VIOLATION');
    const name = isIP(host) === 0 ? { servername: host } : { host };
    const secure = connect({ ...options, ...name, socket: raw });
    // Stays when the driver removes its own listeners.
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
