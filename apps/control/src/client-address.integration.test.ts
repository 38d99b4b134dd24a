import { createApp } from '@macbatch/api';
import { sharedStore } from '@macbatch/store/testing';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from './listen.ts';

const db = sharedStore();
const WRONG_KEY = `Bearer mbk_0123456789abcdef_${'a'.repeat(43)}`;

/** Starts a control plane. Returns a function that sends wrong keys and collects the statuses. */
async function wrongKeySender(trustProxy: boolean) {
  const server = await listen(createApp({ store: db.store, trustProxy }), { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close(0));
  return async (count: number, forwardedFor: (n: number) => string): Promise<Set<number>> => {
    const statuses = new Set<number>();
    for (let n = 0; n < count; n += 1) {
      const headers = { authorization: WRONG_KEY, 'x-forwarded-for': forwardedFor(n) };
      statuses.add((await fetch(`${server.url}/v1/jobs`, { headers })).status);
    }
    return statuses;
  };
}

it('limits a client by its own address when no proxy is trusted, even if X-Forwarded-For differs in each request', async () => {
  const sendWrongKeys = await wrongKeySender(false);
  expect(await sendWrongKeys(31, (n) => `198.51.100.${n}`)).toEqual(new Set([401, 429]));
});

it('limits a client behind a trusted proxy by the last address in X-Forwarded-For', async () => {
  const sendWrongKeys = await wrongKeySender(true);
  expect(await sendWrongKeys(31, (n) => `198.51.100.${n}`)).toEqual(new Set([401]));
  // The proxy appends the last address. The client may have written the ones before.
  expect(await sendWrongKeys(31, (n) => `198.51.100.${n}, 203.0.113.7`)).toEqual(new Set([401, 429]));
  expect(await sendWrongKeys(1, () => '203.0.113.7')).toEqual(new Set([429]));
  expect(await sendWrongKeys(1, () => '203.0.113.7, 2001:db8::1')).toEqual(new Set([401]));
});

it('limits a trusted proxy itself when X-Forwarded-For has no address', async () => {
  const sendWrongKeys = await wrongKeySender(true);
  expect(await sendWrongKeys(31, (n) => `unknown-${n}`)).toEqual(new Set([401, 429]));
});
