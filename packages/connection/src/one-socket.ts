import { connect, Socket } from 'node:net';

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
  #socket: Socket | null = null;

  readonly open = ({ host: hosts, port: ports, path }: Target): Socket => {
    if (this.#socket !== null) return failing();
    if (path) {
      this.#socket = connect({ path });
      return this.#socket;
    }
    const host = hosts[0] ?? 'localhost';
    const port = ports[0] ?? 5432;
    // The driver reads the names back to check a certificate. What it writes meanwhile waits in the socket.
    this.#socket = Object.assign(connect({ host, port }).setNoDelay(true), { host, port });
    return this.#socket;
  };

  destroy(): void {
    this.#socket?.destroy();
  }
}

function failing(): Socket {
  const socket = new Socket();
  const error = Object.assign(new Error('The connection to Postgres was closed.'), {
    code: 'CONNECTION_CLOSED',
  });
  // Not at once: the driver listens only when it has been given the socket.
  setImmediate(() => socket.destroy(error));
  return socket;
}
