import { createServer, type Server, Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { promptSockets } from './prompt-socket.ts';

let server: Server;
let port: number;
beforeEach(async () => {
  server = createServer((socket) => socket.end('hello'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  port = address.port;
});
afterEach(() => {
  server.close();
});

it('a statement in two writes does not wait for an acknowledgement: connections have no Nagle delay', async () => {
  const noDelay = vi.spyOn(Socket.prototype, 'setNoDelay');
  const socket = promptSockets()({ host: ['127.0.0.1'], port: [port] });
  expect(noDelay.mock.calls).toEqual([[true]]);
  expect(noDelay.mock.contexts).toEqual([socket]);
  await expect(socket.toArray()).resolves.toHaveLength(1);
});

it('several hosts are tried in turn, and the socket says which', async () => {
  const open = promptSockets();
  const target = { host: ['127.0.0.1', '127.0.0.2'], port: [port, port] };
  const sockets = [open(target), open(target), open(target)];
  expect(sockets.map((socket) => Reflect.get(socket, 'host'))).toEqual([
    '127.0.0.1',
    '127.0.0.2',
    '127.0.0.1',
  ]);
  for (const socket of sockets) socket.on('error', () => undefined).destroy();
});
