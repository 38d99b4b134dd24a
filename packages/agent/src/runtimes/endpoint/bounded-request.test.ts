import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { serveLocally } from '@macbatch/testing';
import { Agent } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { boundedRequest, type RequestBounds } from './bounded-request.ts';

const BOUNDS: RequestBounds = { timeoutMs: 60_000, maxBytes: 1000 };
const SHORT = { timeoutMs: 100 };
/** Long enough for the headers of a reply to arrive on a busy machine. */
const LONGER = { timeoutMs: 1000 };

async function ask(listener: RequestListener, bounds: Partial<RequestBounds> = {}, signal?: AbortSignal) {
  const url = await serveLocally(listener);
  return askUrl(url, bounds, signal);
}

function askUrl(
  url: string,
  bounds: Partial<RequestBounds>,
  signal?: AbortSignal,
  dispatcher: Agent = new Agent(),
) {
  onTestFinished(() => dispatcher.destroy());
  return boundedRequest(url, { method: 'GET', headers: {}, dispatcher }, { ...BOUNDS, ...bounds }, signal);
}

/** Serves connections without HTTP. Returns the URL. */
async function serveSockets(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

/** Writes a text every 20 ms until the test ends. */
function drip(text: string, write: (text: string) => void): void {
  const timer = setInterval(() => write(text), 20);
  onTestFinished(() => clearInterval(timer));
}

it('returns the status, the headers and the text, without a byte order mark', async () => {
  const reply = await ask((_incoming, outgoing) => {
    outgoing.writeHead(418, { 'x-one': '1' }).end('\ufeff{"a":"ü"}');
  });
  expect(reply).toMatchObject({
    status: 418,
    headers: { 'x-one': '1' },
    text: '{"a":"ü"}',
    isTooLong: false,
  });
});

it('times out when the server drips bytes', async () => {
  const asking = ask((_incoming, outgoing) => {
    outgoing.writeHead(200);
    drip('\n', (text) => outgoing.write(text));
  }, LONGER);
  await expect(asking).rejects.toMatchObject({ isTimeout: true, bytesArrived: true });
});

it('times out when the server drips headers', async () => {
  const url = await serveSockets((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    drip('X-More: 1\r\n', (text) => socket.write(text));
  });
  await expect(askUrl(url, SHORT)).rejects.toMatchObject({ isTimeout: true, bytesArrived: false });
});

it('times out when the server accepts the connection and says nothing', async () => {
  const url = await serveSockets(() => undefined);
  await expect(askUrl(url, SHORT)).rejects.toMatchObject({ isTimeout: true, bytesArrived: false });
});

it('times out when an answer stops before its last byte', async () => {
  const asking = ask((_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-length': '10' }).write('123456789');
  }, LONGER);
  await expect(asking).rejects.toMatchObject({ isTimeout: true, bytesArrived: true });
});

it('reads a reply that arrived in time, after this process stood still until the time was over', async () => {
  // The server has a thread of its own, so that it answers while this thread stands still.
  const server = new Worker(
    `const { parentPort } = require('node:worker_threads');
    const server = require('node:http').createServer((incoming, outgoing) => {
      parentPort.postMessage('asked');
      outgoing.end('in time');
    });
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
    { eval: true },
  );
  onTestFinished(() => server.terminate().then(() => undefined));
  const [port] = await once(server, 'message');
  const timeoutMs = 500;
  const asking = askUrl(`http://127.0.0.1:${port}`, { timeoutMs });
  await Promise.race([once(server, 'message'), asking]);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeoutMs);
  expect(await asking).toMatchObject({ text: 'in time' });
});

it('stops an endless reply at the size limit and closes the connection', async () => {
  let closed: Promise<unknown> | undefined;
  const reply = await ask((_incoming, outgoing) => {
    closed = once(outgoing, 'close');
    outgoing.writeHead(200);
    const writeMore = () => {
      while (!outgoing.destroyed && outgoing.write('x'.repeat(600)));
      outgoing.once('drain', writeMore);
    };
    writeMore();
  });
  expect(reply).toMatchObject({ isTooLong: true, text: 'x'.repeat(1000) });
  await closed;
});

it.each([
  ['gzip', gzipSync],
  ['GZIP', gzipSync],
  ['gzip, identity', gzipSync],
  ['br, x-gzip', (text: string) => gzipSync(brotliCompressSync(text))],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('decompresses a reply with the encoding %s, up to the size limit', async (encoding, compress) => {
  const send = (text: string) =>
    ask((_incoming, outgoing) => {
      outgoing.writeHead(200, { 'content-encoding': encoding }).end(compress(text));
    });
  expect(await send('{"a":"ü"}')).toMatchObject({ text: '{"a":"ü"}', isTooLong: false });
  expect(await send('x'.repeat(1_000_000))).toMatchObject({ isTooLong: true });
});

it('treats a truncated compressed reply as a broken connection', async () => {
  const asking = ask((_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"a":1}').subarray(0, 12));
  });
  await expect(asking).rejects.toMatchObject({ isTimeout: false, bytesArrived: true });
});

it('rejects with the reason of the signal, before and during the request', async () => {
  const controller = new AbortController();
  const asking = ask(() => controller.abort('stop'), {}, controller.signal);
  await expect(asking).rejects.toBe('stop');
  await expect(ask(() => undefined, {}, AbortSignal.abort('before'))).rejects.toBe('before');
});

it('reports a broken connection, and whether any byte of the answer arrived', async () => {
  await expect(ask((incoming) => incoming.socket.destroy())).rejects.toMatchObject({
    isTimeout: false,
    bytesArrived: false,
  });
  const cut = ask((incoming, outgoing) => {
    outgoing.writeHead(200).write('half', () => incoming.socket.destroy());
  });
  await expect(cut).rejects.toMatchObject({ isTimeout: false, bytesArrived: true });
});

it('gets its own reply from a server that sends one reply too many', async () => {
  let requests = 0;
  const url = await serveSockets((socket) => {
    const replies: string[] = [];
    socket.on('data', () => {
      requests += 1;
      // The reply before comes again when the connection is used again.
      socket.write(replies.join(''));
      replies.push(`HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nreply ${requests}`);
      socket.write(replies.join(''));
    });
  });
  const dispatcher = new Agent();
  for (const n of [1, 2, 3]) {
    expect((await askUrl(url, {}, undefined, dispatcher)).text).toBe(`reply ${n}`);
  }
});

it.each([
  ['without a charset', 'application/json', { text: '"Gr\ufffd\ufffd"', isDamaged: true }],
  ['of its charset', 'application/json; charset=ISO-8859-1', { text: '"Grüß"', isDamaged: false }],
  ['of an unknown charset', 'text/plain; charset=x-none', { text: '"Gr\ufffd\ufffd"', isDamaged: true }],
])('decodes Latin-1 in a reply %s', async (_name, type, expected) => {
  const reply = await ask((_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': type }).end(Buffer.from('"Grüß"', 'latin1'));
  });
  expect(reply).toMatchObject(expected);
});
