import { serveLocally } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { Client } from './client.ts';

/** Calls a control plane that redirects there. */
async function call(location: string | undefined) {
  const requests: string[] = [];
  const baseUrl = await serveLocally((incoming, outgoing) => {
    requests.push(`${incoming.method} ${incoming.url}`);
    outgoing.writeHead(302, location === undefined ? {} : { location }).end();
  });
  const error: unknown = await new Client({ baseUrl, retries: 3 })
    .call('reclaim', {})
    .catch((e: unknown) => e);
  return { requests, error };
}

it('follows no redirect, and says where it leads and what to set', async () => {
  const { requests, error } = await call('https://me:secret@pool.example/v1/admin/reclaim?key=secret');
  expect(requests).toEqual(['POST /v1/admin/reclaim']);
  expect(error).toMatchObject({ status: 302, code: 'foreign_reply' });
  expect(String(error)).toMatch(
    /redirects to https:\/\/pool\.example\/v1\/admin\/reclaim \(HTTP 302\)\. .*MACBATCH_CONTROL_URL/,
  );
  expect(String(error)).not.toContain('secret');
});

it.each(['/login', undefined])('asks to check the URL when a server redirects to %s', async (location) => {
  const { requests, error } = await call(location);
  expect(requests).toHaveLength(1);
  expect(String(error)).toContain('Check the URL of the control plane');
});
