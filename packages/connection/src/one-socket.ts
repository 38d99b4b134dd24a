import { connect, Socket } from 'node:net';
import { startTls } from './start-tls.ts';
import type { Tls } from './tls.ts';

/** The server's address, as the driver has parsed it. */
interface Target {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path?: string | false | undefined;
}

/**
 * Opens the only socket of a postgres.js client (its option `socket`). A second call fails.
 *
 * The driver can't reuse a client after its socket has closed (postgres 3.4.9): bytes left from the old socket go in
 * front of the next start-up message, or keep it from being sent, and a statement issued between an error and the
 * close is never answered or gets the rows of another.
 *
 * Turns off Nagle's algorithm, which the driver leaves on. The driver sends a statement with more than a kilobyte of
 * arguments in two writes, and the second would wait for the delayed acknowledgement of the first: 40 ms on Linux.
 */
export class OneSocket {
  readonly #tls: Tls;
  readonly #connectMs: number;
  #used = false;
  /** The plain socket, and the TLS socket over it. */
  #sockets: Socket[] = [];

  /** @param connectMs deadline of the TLS handshake */
  constructor(tls: Tls, connectMs: number) {
    this.#tls = tls;
    this.#connectMs = connectMs;
  }

  readonly open = ({ host: hosts, port: ports, path }: Target): Socket | Promise<Socket> => {
    if (this.#used) return failedSocket();
    this.#used = true;
    if (path) return this.#keep(connect({ path }));
    const host = hosts[0] ?? 'localhost';
    // The socket keeps what the driver writes before the connection is made.
    const socket = this.#keep(connect({ host, port: ports[0] ?? 5432 }).setNoDelay(true));
    if (this.#tls === false) return socket;
    const name = host.replace(/^\[(.*)\]$/, '$1');
    return startTls(socket, this.#tls, name, this.#connectMs).then((secure) => this.#keep(secure));
  };

  destroy(): void {
    // The TLS socket first: it sends its closing message through the plain one.
    for (const socket of this.#sockets.toReversed()) socket.destroy(closed());
  }

  #keep(socket: Socket): Socket {
    if (!this.#sockets.includes(socket)) this.#sockets.push(socket);
    return socket;
  }
}

function closed(): Error {
  return Object.assign(new Error('The connection to Postgres was closed.'), { code: 'CONNECTION_CLOSED' });
}

function failedSocket(): Socket {
  const socket = new Socket();
  // Later: the driver listens for errors only after it has the socket.
  setImmediate(() => socket.destroy(closed()));
  return socket;
}
