import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** The network between one Mac and the control plane. */
export interface Network extends AsyncDisposable {
  /** The URL of the control plane through this network. */
  readonly url: string;
  /** Breaks all connections and refuses new ones. */
  cut(): void;
  restore(): void;
}

/** Opens a TCP proxy to the HTTP URL `target`. */
export async function openNetwork(target: string): Promise<Network> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((inside) => {
    if (isCut) {
      inside.destroy();
      return;
    }
    const outside = connect(Number(port), hostname);
    for (const [socket, other] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the network has no port');
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut() {
      isCut = true;
      breakAll();
    },
    restore() {
      isCut = false;
    },
    async [Symbol.asyncDispose]() {
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
