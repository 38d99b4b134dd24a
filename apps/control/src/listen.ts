import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';

/** A large submission over a slow line may take this long to arrive. */
const REQUEST_TIMEOUT_MS = 30 * 60_000;

export interface Listening {
  /** The address with the port that was really taken. */
  readonly url: string;
  /** Takes no more connections; waits up to `ms` for requests under way. */
  close(ms: number): Promise<void>;
}

/** Serves an app over HTTP. Port 0 takes a free one. Rejects where the port can't be had. */
export async function listen(app: Hono, host: string, port: number): Promise<Listening> {
  const server = createServer(getRequestListener(app.fetch));
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw portProblem(error, host, port);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${address.port}`, close: (ms) => close(server, ms) };
}

async function close(server: Server, ms: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), ms);
  await closed;
  clearTimeout(timer);
}

function portProblem(error: unknown, host: string, port: number): Error {
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (code === 'EADDRINUSE') {
    return new Error(
      `Port ${port} of ${host} is taken. Set MACBATCH_PORT to another, or to 0 for any free one.`,
      { cause: error },
    );
  }
  if (code === 'EACCES')
    return new Error(`This user may not listen on port ${port}. Set MACBATCH_PORT above 1023.`, {
      cause: error,
    });
  return new Error(
    `Can't listen on ${host}:${port}: ${error instanceof Error ? error.message : String(error)}`,
    { cause: error },
  );
}
