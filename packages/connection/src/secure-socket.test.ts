import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { secured } from './secure-socket.ts';

const REQUIRED = { required: true, options: {} };

/** A connection to a server that does this with it. */
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
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const socket = connect({ host: '127.0.0.1', port: address.port });
  socket.on('error', () => undefined);
  return socket;
}

it.each<[string, (socket: Socket) => void, string]>([
  ['hangs up', (socket) => socket.end(), 'CONNECTION_CLOSED'],
  ['hangs up when it is asked', (socket) => socket.once('data', () => socket.destroy()), 'CONNECTION_CLOSED'],
  ['speaks no TLS', (socket) => socket.once('data', () => socket.write('N')), 'NO_TLS'],
  [
    'slips something in before TLS',
    (socket) => socket.once('data', () => socket.write('Sand more')),
    'PROTOCOL_VIOLATION',
  ],
  ['says yes and hangs up', (socket) => socket.once('data', () => socket.end('S')), 'ECONNRESET'],
])('a server that %s is not talked to, and not waited for', async (_, serve, code) => {
  const socket = await connectedTo(serve);
  await expect(secured(socket, REQUIRED, 'localhost', 60_000)).rejects.toMatchObject({ code });
  expect(socket.destroyed).toBe(true);
});

it.each<[string, (socket: Socket) => void]>([
  ['nothing', () => undefined],
  ['yes and then nothing', (socket) => socket.once('data', () => socket.write('S'))],
])('a server that says %s is waited for no longer than it was to be', async (_, serve) => {
  const socket = await connectedTo(serve);
  await expect(secured(socket, REQUIRED, 'localhost', 50)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  expect(socket.destroyed).toBe(true);
});
