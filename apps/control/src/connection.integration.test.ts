import { once } from 'node:events';
import { request } from 'node:https';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createApp } from '@macbatch/api';
import { sharedStore } from '@macbatch/store/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Listening, listen } from './listen.ts';
import { localhostCertificate } from './testing/certificate.ts';

const db = sharedStore();
const errors: Error[] = [];
let plain: Listening;
let tls: Listening;
let certificate: { readonly cert: string; readonly key: string };

beforeAll(async () => {
  certificate = await localhostCertificate();
  const app = createApp({ store: db.store, open: true, onError: (error) => errors.push(error) });
  plain = await listen(app, { host: '127.0.0.1', port: 0, headersTimeoutMs: 300 });
  tls = await listen(app, { host: '127.0.0.1', port: 0, headersTimeoutMs: 300, tls: certificate });
});
afterAll(async () => {
  expect(errors).toEqual([]);
  await Promise.all([plain.close(0), tls.close(0)]);
});

const portOf = (server: Listening) => Number(new URL(server.url).port);

/** Sends bytes, and returns the answer when the server has closed the connection. */
async function answerTo(server: Listening, bytes: string | Buffer): Promise<string> {
  const socket = connect(portOf(server), '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text;
  });
  socket.on('error', () => undefined); // a reset ends the connection too
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.write(bytes);
  await closed;
  return answer;
}

async function expectHealthy(server: Listening): Promise<void> {
  const { status } = await overTls(server, certificate.cert).catch(() => fetch(`${server.url}/healthz`));
  expect(status).toBe(200);
}

/** Sends a request over TLS. The client trusts the certificate `ca`. */
function overTls(
  server: Listening,
  ca: string | undefined,
): Promise<{ readonly status: number | undefined }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${server.url}/healthz`, { ...(ca === undefined ? {} : { ca }) }, (response) => {
      response.resume();
      resolve({ status: response.statusCode });
    });
    outgoing.on('error', reject).end();
  });
}

it('serves TLS with its certificate, and a client that does not trust the certificate disconnects', async () => {
  expect(tls.url).toMatch(/^https:/);
  expect(await overTls(tls, certificate.cert)).toEqual({ status: 200 });
  await expect(overTls(tls, undefined)).rejects.toThrow(/self-signed/);
});

it('refuses TLS on the plain port and plain HTTP on the TLS port, and both servers keep running', async () => {
  const hello = connectTls({ port: portOf(plain), host: '127.0.0.1', rejectUnauthorized: false });
  await expect(once(hello, 'secureConnect')).rejects.toThrow();
  expect(await answerTo(tls, 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')).not.toContain(' 200 ');
  await expectHealthy(plain);
  await expectHealthy(tls);
});

it.each([
  ['bytes that are not HTTP', '\x16\x03\x01\x02\x00\x01', 400, 'bad_request'],
  ['an invalid request line', 'HELLO WORLD\r\n\r\n', 400, 'bad_request'],
  ['headers of 600 KB', `GET / HTTP/1.1\r\n${'x: y\r\n'.repeat(100_000)}\r\n`, 431, 'headers_too_large'],
  [
    'an invalid content-length',
    'POST /v1/jobs HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n',
    400,
    'bad_request',
  ],
])('answers %s with problem details and closes the connection', async (_, bytes, status, code) => {
  const answer = await answerTo(plain, bytes);
  // The connection of a large request may be reset before the client has read the answer.
  if (answer !== '') {
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain(`"code":"${code}"`);
    expect(answer).toContain('content-type: application/problem+json');
    expect(answer).not.toMatch(/\.ts|node:|\n *at /);
  }
  await expectHealthy(plain);
});

it('answers 408 to a client that sends its headers too slowly', async () => {
  const answer = await answerTo(plain, 'GET /healthz HTTP/1.1\r\nhost: x\r\nx-slow: ');
  expect(answer).toMatch(/^HTTP\/1.1 408 /);
  expect(answer).toContain('"code":"request_timeout"');
});

it('refuses a request with two Authorization headers', async () => {
  const answer = await answerTo(
    plain,
    'GET /v1/jobs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer a\r\nauthorization: Bearer b\r\nconnection: close\r\n\r\n',
  );
  expect(answer).toMatch(/^HTTP\/1.1 401 /);
  expect(answer).toContain('Send the Authorization header only once.');
});

it('sends headers that forbid a browser to cache, run or share a response', async () => {
  const { headers } = await fetch(`${plain.url}/v1/jobs`, {
    headers: { origin: 'https://elsewhere.example' },
  });
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('access-control-allow-origin')).toBeNull();
});

it.each([
  '/v1/jobs/..%2f..%2fetc%2fpasswd',
  "/v1/jobs/1'%20or%20'1'='1",
  '/v1/jobs/%00',
  '/v1/%2e%2e/%2e%2e/etc/passwd',
])('answers 400 or 404 to the path %s', async (path) => {
  const response = await fetch(plain.url + path);
  expect([400, 404]).toContain(response.status);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
});

it('survives a body of 100,000 keys and one with 100,000 nested levels', async () => {
  const keys = `{${Array.from({ length: 100_000 }, (_, n) => `"k${n}":1`).join(',')}}`;
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  for (const body of [keys, deep, `{"job_type":"noop","model":"m","items":[{"id":"a","payload":${deep}}]}`]) {
    const response = await fetch(`${plain.url}/v1/jobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(response.status).toBeLessThan(500);
  }
  await expectHealthy(plain);
});
