import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** The network between one Mac and the control plane. */
export interface Network extends AsyncDisposable {
  /** The control plane's address as this Mac knows it. */
  readonly url: string;
  /** Every connection breaks and no other is made. */
  cut(): void;
  restore(): void;
}

/** Passes bytes on to `target`, an address of HTTP, as long as it is not cut. */
export async function openNetwork(target: string): Promise<Network> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let out = false;
  const server = createServer((inside) => {
    if (out) {
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
      out = true;
      breakAll();
    },
    restore() {
      out = false;
    },
    async [Symbol.asyncDispose]() {
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
