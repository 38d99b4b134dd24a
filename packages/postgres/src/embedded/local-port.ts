import { once } from 'node:events';
import { createServer } from 'node:net';

/** Binds `port` on 127.0.0.1 for a moment; 0 means any free port. Returns the port, or undefined if it is taken. */
export async function probePort(port: number): Promise<number | undefined> {
  const server = createServer().listen({ host: '127.0.0.1', port, exclusive: true });
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return undefined;
    throw error;
  }
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? address?.port : undefined;
}
