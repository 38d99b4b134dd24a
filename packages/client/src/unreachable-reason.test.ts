import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { serveLocally } from '@macbatch/testing';
import { generate } from 'selfsigned';
import { expect, it, onTestFinished } from 'vitest';
import { Client } from './client.ts';
import { unreachableReason } from './unreachable-reason.ts';

/** Returns the message of a call that gets no answer. */
async function refusalBy(baseUrl: string): Promise<string> {
  try {
    await new Client({ baseUrl, retries: 0 }).call('listWorkers', {});
  } catch (error) {
    return String(error);
  }
  throw new Error('the server answered');
}

async function serveTls(): Promise<number> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }]);
  const server = createServer({ cert, key }, (_request, response) => response.end('{}'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

it('says http or https when the other one is right', async () => {
  const tlsPort = await serveTls();
  expect(await refusalBy(`http://127.0.0.1:${tlsPort}`)).toMatch(
    /does not answer: it closed the connection .*write https:\/\/ instead of http:\/\/\.$/,
  );
  const plain = await serveLocally((_request, response) => response.end('{}'));
  expect(await refusalBy(plain.replace('http', 'https'))).toMatch(/it does not speak TLS.* write http:\/\//);
});

it('names MACBATCH_CA_FILE when a certificate is not trusted', async () => {
  const message = await refusalBy(`https://127.0.0.1:${await serveTls()}`);
  expect(message).toMatch(/its certificate is not trusted \([A-Z_]+\)\. Set MACBATCH_CA_FILE to /);
  expect(message).not.toContain('--use-system-ca');
});

it('names the host when a certificate is for another one', () => {
  const cause = Object.assign(new Error('Host: pool. is not in the cert’s altnames'), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  });
  expect(unreachableReason('https://pool', new TypeError('fetch failed', { cause }))).toBe(
    'Host: pool. is not in the cert’s altnames. Use the host name that the certificate is for.',
  );
});

it('repeats other reasons', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' });
  expect(unreachableReason('http://h', new TypeError('fetch failed', { cause }))).toBe(
    'connect ECONNREFUSED 127.0.0.1:9',
  );
  expect(unreachableReason('http://h', 'gone')).toBe('gone');
});
