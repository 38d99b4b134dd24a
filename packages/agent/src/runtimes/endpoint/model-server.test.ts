import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { serveLocally } from '@macbatch/testing';
import { generate } from 'selfsigned';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ModelServer, type ModelServerConfig } from './model-server.ts';

const ANSWER = JSON.stringify({ choices: [{ finish_reason: 'stop', message: { content: 'Hi' } }] });
const never = new AbortController().signal;

function open(url: string, more: Partial<ModelServerConfig> = {}): ModelServer {
  const server = new ModelServer({ url, timeoutMs: 60_000, ...more });
  onTestFinished(() => server.close());
  return server;
}

const post = (server: ModelServer) => server.post('/chat/completions', { messages: [] }, never);

/** Answers every request and notes it. */
function answering(seen: IncomingMessage[]): RequestListener {
  return (incoming, outgoing) => {
    seen.push(incoming);
    incoming.resume().on('end', () => outgoing.end(ANSWER));
  };
}

async function listenOn(server: Server, host: string): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

it('fails the item for an answer that never ends', async () => {
  const url = await serveLocally((incoming, outgoing) => {
    incoming.resume();
    outgoing.writeHead(200);
    const block = Buffer.alloc(1024 * 1024, 'x');
    const more = () => {
      while (!outgoing.destroyed && outgoing.write(block));
      outgoing.once('drain', more);
    };
    more();
  });
  await expect(post(open(url))).rejects.toMatchObject({ failure: 'permanent', code: 'answer_too_large' });
});

it('reports how long it waited, and whether the answer had begun', async () => {
  const silent = await serveLocally(() => undefined);
  await expect(post(open(silent, { timeoutMs: 100 }))).rejects.toMatchObject({
    failure: 'timeout',
    bytesArrived: false,
    message: expect.stringMatching(/did not answer within 0.1 s/) as string,
  });
  const slow = await serveLocally((_incoming, outgoing) => outgoing.writeHead(200).write('\n'));
  await expect(post(open(slow, { timeoutMs: 1000 }))).rejects.toMatchObject({
    failure: 'timeout',
    bytesArrived: true,
    message: expect.stringMatching(/did not finish its answer within 1 s/) as string,
  });
});

it('fails the item whose payload is nested too deeply to be sent', async () => {
  const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
  const sending = open('http://127.0.0.1:9').post('/chat/completions', { deep }, never);
  await expect(sending).rejects.toMatchObject({ failure: 'permanent', code: 'invalid_payload' });
});

it('sends the query of its URL with every request', async () => {
  const seen: IncomingMessage[] = [];
  const url = await serveLocally(answering(seen));
  const server = open(`${url}/openai/v1/?api-version=2024-10-21&deployment=a%2Fb#fragment`);
  await post(server);
  await server.ask('/models');
  await server.askRoot('/api/tags');
  const query = '?api-version=2024-10-21&deployment=a%2Fb';
  expect(seen.map((each) => each.url)).toEqual([
    `/openai/v1/chat/completions${query}`,
    `/openai/v1/models${query}`,
    `/openai/api/tags${query}`,
  ]);
});

it.each(['chat/completions', 'completions', 'embeddings', 'models'])(
  'also takes the URL of a request that ends in %s',
  async (path) => {
    const seen: IncomingMessage[] = [];
    const url = await serveLocally(answering(seen));
    await post(open(`${url}/openai/deployments/m/${path}?api-version=1`));
    expect(seen[0]?.url).toBe('/openai/deployments/m/chat/completions?api-version=1');
  },
);

it('does not follow a redirect, and names its target', async () => {
  const url = await serveLocally((incoming, outgoing) => {
    incoming.resume();
    outgoing.writeHead(308, { location: 'https://models.example/v1?code=q-secret' }).end();
  });
  await expect(post(open(`${url}/v1?code=q-secret`))).rejects.toMatchObject({
    failure: 'not_here',
    message: expect.stringContaining('redirects to https://models.example/v1?code=[query];') as string,
  });
});

describe('the configured headers', () => {
  it('are sent with every request', async () => {
    const seen: IncomingMessage[] = [];
    const server = open(await serveLocally(answering(seen)), {
      headers: { 'API-Key': 's3cret', 'x-team': 'a b' },
    });
    await post(server);
    await server.ask('/models');
    await server.askRoot('/api/version');
    expect(seen).toHaveLength(3);
    for (const { headers } of seen) expect(headers).toMatchObject({ 'api-key': 's3cret', 'x-team': 'a b' });
  });

  it('are removed from messages, with and without their scheme, even inside JSON', async () => {
    const url = await serveLocally((_incoming, outgoing) => {
      outgoing
        .writeHead(400)
        .end(JSON.stringify({ error: { message: 'bad tok"en-1 and hunter22 and q-secret' } }));
    });
    const headers = { authorization: 'Bearer hunter22', 'x-token': 'tok"en-1' };
    await expect(post(open(`${url}/v1?code=q-secret`, { headers }))).rejects.toMatchObject({
      message: 'the model server answered 400: bad [header] and [header] and [query]',
    });
  });

  it.each([
    ['a name with a space', { 'my header': 'v' }, /"my header" is not the name of a header/],
    ['a header of the connection', { Host: 'h' }, /"Host" is set by the worker itself/],
    ['a name twice', { 'X-A': 'v', 'x-a': 'w' }, /"x-a" is given twice/],
    ['a line break in a value', { 'x-a': 'secret\r\nx-b: 1' }, /"x-a" has a value/],
  ])('are refused for %s', (_what, headers, message) => {
    const opening = () => open('http://127.0.0.1:9/v1', { headers });
    expect(opening).toThrow(message);
    expect(opening).not.toThrow(/secret/);
  });

  it('are refused when a key and an authorization are given', () => {
    expect(() => open('http://h/v1', { key: 'k', headers: { Authorization: 'Basic x' } })).toThrow(
      /set one of them/,
    );
  });
});

describe('a proxy', () => {
  /** A proxy that forwards every request to `target` and counts the requests. */
  async function proxyTo(target: () => number) {
    const used: string[] = [];
    const proxy = createServer((incoming, outgoing) => {
      used.push(`${incoming.method} ${incoming.url} ${incoming.headers['proxy-authorization'] ?? ''}`.trim());
      incoming.resume().on('end', () => outgoing.end(ANSWER));
    });
    proxy.on('connect', (incoming, socket) => {
      used.push(`CONNECT ${incoming.url}`);
      const tunnel = connect(target(), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        tunnel.pipe(socket).pipe(tunnel);
      });
      for (const end of [tunnel, socket]) end.on('error', () => tunnel.destroy());
    });
    const port = await listenOn(proxy, '127.0.0.1');
    return { url: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, used };
  }

  it('gets requests for a host that only it knows', async () => {
    const { url, used } = await proxyTo(() => 0);
    const server = open('http://models.invalid:8000/v1?a=1', {
      proxies: { http: url, https: 'http://127.0.0.1:9' },
    });
    await post(server);
    expect(used).toEqual(['POST http://models.invalid:8000/v1/chat/completions?a=1']);
  });

  it('gets the password of its URL, and no message does', async () => {
    const { host, used } = await proxyTo(() => 0);
    await post(open('http://models.invalid/v1', { proxies: { http: `ann:p%40ssword@${host}` } }));
    expect(used[0]).toMatch(/Basic YW5uOnBAc3N3b3Jk$/);
    const unreachable = open('http://models.invalid/v1', {
      proxies: { http: 'http://ann:p%40ssword@127.0.0.1:9' },
    });
    await expect(post(unreachable)).rejects.toMatchObject({
      failure: 'wait',
      code: 'server_unreachable',
      message:
        'the model server models.invalid (through the proxy 127.0.0.1:9) is not reachable (ECONNREFUSED)',
    });
  });

  it('is not used for hosts of NO_PROXY, nor for this machine', async () => {
    const { url: proxy, used } = await proxyTo(() => 0);
    const seen: IncomingMessage[] = [];
    const url = await serveLocally(answering(seen));
    await post(open(url, { proxies: { http: proxy } }));
    expect([seen.length, used]).toEqual([1, []]);
    const excluded = open('http://models.invalid/v1', {
      proxies: { http: proxy, none: 'other.example, .invalid' },
    });
    await expect(post(excluded)).rejects.toMatchObject({ code: 'server_unreachable' });
    expect(used).toEqual([]);
  });

  it('gets a tunnel for https', async () => {
    const { port } = await tlsServer();
    const { url, used } = await proxyTo(() => port);
    const server = open('https://localhost.invalid/v1', {
      proxies: { http: 'http://127.0.0.1:9', https: url },
    });
    await expect(post(server)).rejects.toMatchObject({ code: 'certificate_refused' });
    expect(used).toEqual(['CONNECT localhost.invalid:443']);
  });

  it('that refuses a tunnel is named with its status', async () => {
    const proxy = createServer();
    proxy.on('connect', (_incoming, socket) =>
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
    );
    const https = `http://127.0.0.1:${await listenOn(proxy, '127.0.0.1')}`;
    await expect(post(open('https://models.invalid/v1', { proxies: { https } }))).rejects.toMatchObject({
      failure: 'not_here',
      code: 'unauthorized',
      message: expect.stringMatching(/answered 407/) as string,
    });
  });

  it('is refused with the name of its variable, and without its value', () => {
    const opening = () => open('http://h/v1', { proxies: { http: 'ftp://secret@proxy' } });
    expect(opening).toThrow(/HTTP_PROXY is not the URL of a proxy/);
    expect(opening).not.toThrow(/secret/);
  });
});

/** A TLS server with a self-signed certificate for localhost. */
async function tlsServer() {
  const altNames = [{ type: 2, value: 'localhost' } as const];
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames }],
  });
  const port = await listenOn(createTlsServer({ cert, key }, answering([])), '127.0.0.1');
  return { port, cert };
}

describe('a certificate', () => {
  it('is refused with a fix until its authority is trusted, then accepted', async () => {
    const { port, cert } = await tlsServer();
    const url = `https://localhost:${port}/v1`;
    await expect(post(open(url))).rejects.toMatchObject({
      failure: 'not_here',
      code: 'certificate_refused',
      message: expect.stringContaining('MACBATCH_CA_FILE') as string,
    });
    const before = getCACertificates('default');
    onTestFinished(() => setDefaultCACertificates(before));
    setDefaultCACertificates([...before, cert]);
    await expect(post(open(url))).resolves.toMatchObject({ choices: [{}] });
  });

  it('is not expected of a server that speaks plain HTTP', async () => {
    const url = (await serveLocally(answering([]))).replace('http:', 'https:');
    await expect(post(open(url))).rejects.toMatchObject({
      failure: 'not_here',
      message: expect.stringContaining('http://') as string,
    });
  });
});

it.each(['127.0.0.1', '::1'])(
  'finds a server that listens on %s only under the name localhost',
  async (host) => {
    const port = await listenOn(createServer(answering([])), host);
    await expect(post(open(`http://localhost:${port}/v1`))).resolves.toMatchObject({ choices: [{}] });
  },
);

it.each([
  ['ftp://h/v1', /must begin with http/],
  ['nonsense', /must begin with http/],
  ['http://ann:secret@h/v1', /must not contain a password/],
])('refuses the URL %s', (url, message) => {
  const opening = () => open(url);
  expect(opening).toThrow(message);
  expect(opening).not.toThrow(/secret/);
});
