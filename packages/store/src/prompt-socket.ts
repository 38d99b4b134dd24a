import { connect, type Socket } from 'node:net';

/** The part of the driver's parsed options that says where the server is; several hosts are tried in turn. */
interface Target {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path?: string | false | undefined;
}

/**
 * Makes the sockets of one postgres.js client (its option `socket`), without Nagle's algorithm, which the
 * driver leaves on: it sends a statement whose arguments exceed a kilobyte in two writes, and the second
 * would wait for the server's delayed acknowledgement of the first, 40 ms on Linux.
 */
export function promptSockets(): (target: Target) => Socket {
  let turn = 0;
  return ({ host: hosts, port: ports, path }) => {
    if (path) return connect({ path });
    const host = hosts[turn % hosts.length] ?? 'localhost';
    const port = ports[turn % ports.length] ?? 5432;
    turn += 1;
    // The driver reads the names back to check a certificate. What it writes meanwhile waits in the socket.
    return Object.assign(connect({ host, port }).setNoDelay(true), { host, port });
  };
}
