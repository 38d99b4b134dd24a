import { createApp } from '@macbatch/api';
import { fileStore } from '@macbatch/store/testing';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from './listen.ts';

const db = fileStore();
const GUESS = `Bearer mbk_0123456789abcdef_${'a'.repeat(43)}`;

/** Starts a control plane. Returns a function that sends wrong keys and collects the statuses. */
async function guesses(trustProxy: boolean) {
  const server = await listen(createApp({ store: db.store, trustProxy }), { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close(0));
  return async (count: number, forwardedFor: (n: number) => string): Promise<Set<number>> => {
    const statuses = new Set<number>();
    for (let n = 0; n < count; n += 1) {
      const headers = { authorization: GUESS, 'x-forwarded-for': forwardedFor(n) };
      statuses.add((await fetch(`${server.url}/v1/jobs`, { headers })).status);
    }
    return statuses;
  };
}

it('limits a client without a trusted proxy, even if it writes another address into each request', async () => {
  const guess = await guesses(false);
  expect(await guess(31, (n) => `198.51.100.${n}`)).toEqual(new Set([401, 429]));
});

it('counts each client behind a trusted proxy by the address that the proxy wrote', async () => {
  const guess = await guesses(true);
  expect(await guess(31, (n) => `198.51.100.${n}`)).toEqual(new Set([401]));
  // The addresses before the last one come from the client.
  expect(await guess(31, (n) => `198.51.100.${n}, 203.0.113.7`)).toEqual(new Set([401, 429]));
  expect(await guess(1, () => '203.0.113.7')).toEqual(new Set([429]));
  expect(await guess(1, () => '203.0.113.7, 2001:db8::1')).toEqual(new Set([401]));
});

it('counts the proxy itself when a trusted proxy writes no address', async () => {
  const guess = await guesses(true);
  expect(await guess(31, (n) => `unknown-${n}`)).toEqual(new Set([401, 429]));
});
