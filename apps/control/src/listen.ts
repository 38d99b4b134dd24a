import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { problemText } from '@macbatch/api';
import { messageOf } from '@macbatch/core';
import type { Hono } from 'hono';

/** Time limit for a large submission over a slow connection. */
const REQUEST_TIMEOUT_MS = 30 * 60_000;
/** Time limit for a request's headers. Headers are small, so a slow sender probably ties up connections on purpose. */
const HEADERS_TIMEOUT_MS = 15_000;
/** Closes a connection that is silent for this long. Longer than a long poll and longer than any database time-out. */
const IDLE_TIMEOUT_MS = 5 * 60_000;
/** Longer than the keep-alive time of common proxies. The proxy then closes idle connections before the control plane does. */
const KEEP_ALIVE_MS = 75_000;

/** A certificate and its private key, as PEM text. */
interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly tls?: TlsFiles;
  /** Time limit for the headers of a request. @default 15 s */
  readonly headersTimeoutMs?: number;
}

export interface Listening {
  /** The base URL, with the real port. */
  readonly url: string;
  /** Stops accepting connections, waits up to `graceMs` for open requests, then closes every connection. */
  close(graceMs: number): Promise<void>;
}

/** Serves an app over HTTP, or over TLS if there is a certificate. Rejects if the port is not available. */
export async function listen(app: Pick<Hono, 'fetch'>, options: ListenOptions): Promise<Listening> {
  const { host, port, tls } = options;
  const headersTimeout = options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS;
  const timeouts = {
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: Math.min(5000, headersTimeout),
  };
  // The adapter's cleanup would cut off a refused upload. Without it, Node reads the upload to its end, so the client receives the reply.
  const listener = getRequestListener(app.fetch, { autoCleanupIncoming: false });
  const server: Server =
    tls === undefined
      ? createServer(timeouts, listener)
      : createTlsServer({ ...timeouts, ...tls, handshakeTimeout: headersTimeout }, listener);
  server.setTimeout(IDLE_TIMEOUT_MS);
  server.on('clientError', refuseBadRequest);
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw portProblem(error, host, port);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${name}:${address.port}`,
    close: (graceMs) => close(server, graceMs),
  };
}

/** Answers bytes that are not a valid request with problem details, like every other refusal. */
function refuseBadRequest(error: Error, socket: Socket & { readonly _httpMessage?: unknown }): void {
  const cause: unknown = Reflect.get(error, 'code');
  // If an answer has begun, a second one would corrupt it.
  if (cause === 'ECONNRESET' || !socket.writable || socket._httpMessage) {
    socket.destroy();
    return;
  }
  const [code, detail]: Parameters<typeof problemText> =
    cause === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? ['request_timeout', 'The request took too long to arrive.']
      : cause === 'HPE_HEADER_OVERFLOW'
        ? ['headers_too_large', 'The headers are larger than 16 KB.']
        : ['bad_request', 'This is not a valid HTTP request.'];
  const { status, title, body } = problemText(code, detail);
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nconnection: close\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

async function close(server: Server, graceMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}

function portProblem(error: unknown, host: string, port: number): Error {
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (code === 'EADDRINUSE') {
    return new Error(
      `Port ${port} of ${host} is taken. Set MACBATCH_PORT to another port, or to 0 for any free one.`,
      { cause: error },
    );
  }
  if (code === 'EACCES')
    return new Error(
      `This user is not allowed to listen on port ${port}. Set MACBATCH_PORT to a port above 1023.`,
      {
        cause: error,
      },
    );
  return new Error(`Cannot listen on ${host}:${port}: ${messageOf(error)}`, { cause: error });
}
