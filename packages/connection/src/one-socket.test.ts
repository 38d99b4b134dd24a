import { once } from 'node:events';
import { createServer, type Server, Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OneSocket } from './one-socket.ts';

let server: Server;
let port: number;
beforeEach(async () => {
  server = createServer((socket) => socket.end('hello'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  port = address.port;
});
afterEach(() => {
  server.close();
});

it('turns off Nagle’s algorithm, so that a statement in two writes does not wait for an acknowledgement', async () => {
  const noDelay = vi.spyOn(Socket.prototype, 'setNoDelay');
  const socket = await new OneSocket(false, 1000).open({ host: ['127.0.0.1'], port: [port] });
  expect(noDelay.mock.calls).toEqual([[true]]);
  expect(noDelay.mock.contexts).toEqual([socket]);
  await expect(socket.toArray()).resolves.toHaveLength(1);
});

it('fails when a client opens a second socket', async () => {
  const only = new OneSocket(false, 1000);
  const target = { host: ['127.0.0.1'], port: [port] };
  const socket = await only.open(target);
  socket.on('error', () => undefined);
  only.destroy();
  expect(socket.destroyed).toBe(true);
  const [error] = await once(await only.open(target), 'error').catch((thrown: unknown) => [thrown]);
  expect(error).toMatchObject({ code: 'CONNECTION_CLOSED' });
});
