import { connect, Socket } from 'node:net';
import { secured } from './secure-socket.ts';
import type { Tls } from './tls.ts';

/** The part of the driver's parsed options that says where the server is. */
interface Target {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path?: string | false | undefined;
}

/**
 * The one socket of one postgres.js client (its option `socket`).
 *
 * One, because the driver's connections do not survive to be used again: bytes that wait to be written when
 * a socket closes are kept and sent in front of the next start-up message, or keep it from being sent at all,
 * and a statement issued between an error and the close is never answered, or answered with the rows of
 * another (postgres 3.4.9). A client that wants a second socket gets an error.
 *
 * Without Nagle's algorithm, which the driver leaves on: it sends a statement whose arguments exceed a
 * kilobyte in two writes, and the second would wait for the server's delayed acknowledgement of the first,
 * 40 ms on Linux.
 */
export class OneSocket {
  readonly #tls: Tls;
  readonly #connectMs: number;
  #used = false;
  /** The socket, and what TLS has made of it. */
  #sockets: Socket[] = [];

  /** @param connectMs how long TLS may take to be agreed on */
  constructor(tls: Tls, connectMs: number) {
    this.#tls = tls;
    this.#connectMs = connectMs;
  }

  readonly open = ({ host: hosts, port: ports, path }: Target): Socket | Promise<Socket> => {
    if (this.#used) return failing();
    this.#used = true;
    if (path) return this.#keep(connect({ path }));
    const host = hosts[0] ?? 'localhost';
    // What the driver writes before it is connected waits in the socket.
    const socket = this.#keep(connect({ host, port: ports[0] ?? 5432 }).setNoDelay(true));
    if (this.#tls === false) return socket;
    const name = host.replace(/^\[(.*)\]$/, '$1');
    return secured(socket, this.#tls, name, this.#connectMs).then((secure) => this.#keep(secure));
  };

  destroy(): void {
    // The outer one first: it says goodbye through the other.
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

function failing(): Socket {
  const socket = new Socket();
  // Not at once: the driver listens only when it has been given the socket.
  setImmediate(() => socket.destroy(closed()));
  return socket;
}
