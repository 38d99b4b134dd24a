import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startTls } from './start-tls.ts';

const REQUIRED = { required: true, options: {} };

/** Connects to a server that calls `serve` with the connection. */
async function connectedTo(serve: (socket: Socket) => void): Promise<Socket> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  const socket = connect({ host: '127.0.0.1', port: address.port });
  socket.on('error', () => undefined);
  return socket;
}

// A Postgres server answers a TLS request with one byte: `S` accepts, `N` refuses.
it.each<[string, (socket: Socket) => void, string]>([
  ['closes the connection', (socket) => socket.end(), 'CONNECTION_CLOSED'],
  [
    'closes the connection on the TLS request',
    (socket) => socket.once('data', () => socket.destroy()),
    'CONNECTION_CLOSED',
  ],
  ['does not support TLS', (socket) => socket.once('data', () => socket.write('N')), 'NO_TLS'],
  [
    'sends plain bytes before the handshake',
    (socket) => socket.once('data', () => socket.write('Splain bytes')),
    'PROTOCOL_VIOLATION',
  ],
  [
    'accepts TLS and closes the connection',
    (socket) => socket.once('data', () => socket.end('S')),
    'ECONNRESET',
  ],
])('rejects immediately and closes the socket when the server %s', async (_, serve, code) => {
  const socket = await connectedTo(serve);
  await expect(startTls(socket, REQUIRED, 'localhost', 60_000)).rejects.toMatchObject({ code });
  expect(socket.destroyed).toBe(true);
});

it.each<[string, (socket: Socket) => void]>([
  ['does not answer', () => undefined],
  ['accepts TLS and then sends nothing', (socket) => socket.once('data', () => socket.write('S'))],
])('rejects at the deadline when the server %s', async (_, serve) => {
  const socket = await connectedTo(serve);
  await expect(startTls(socket, REQUIRED, 'localhost', 50)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  expect(socket.destroyed).toBe(true);
});
