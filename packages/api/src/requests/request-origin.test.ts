import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { requestOrigin } from './request-origin.ts';

async function originOf(trustProxy: boolean, headers: Record<string, string>): Promise<string> {
  const app = new Hono();
  app.get('/x', (c) => c.text(requestOrigin(c, trustProxy)));
  return (await app.request('http://control:7420/x', { headers })).text();
}

const FORWARDED = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'pool.example.org' };

it.each([
  ['http://control:7420', 'no proxy', false, {}],
  ['http://control:7420', 'headers that anybody may have sent', false, FORWARDED],
  ['https://pool.example.org', 'a trusted proxy', true, FORWARDED],
  ['https://control:7420', 'a trusted proxy that keeps the host', true, { 'x-forwarded-proto': 'https' }],
  [
    'http://control:7420',
    'headers that make no URL',
    true,
    { 'x-forwarded-proto': 'x', 'x-forwarded-host': 'a/b' },
  ],
])('finds %s with %s', async (origin, _what, trustProxy, headers) => {
  expect(await originOf(trustProxy, headers)).toBe(origin);
});
