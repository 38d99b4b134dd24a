import { expect, it } from 'vitest';
import { fileApp } from '../testing/file-app.ts';
import { bearing } from '../testing/keyed-app.ts';

let now = 0;
const { send, refused } = fileApp({ open: true, monotonicMs: () => now });

it('needs no key until the first one exists, which must be an admin key', async () => {
  expect((await send('GET', '/v1/jobs')).status).toBe(200);
  expect(await (await send('GET', '/v1/caller')).json()).toMatchObject({ role: 'admin', open: true });
  const locked = await refused(() => send('POST', '/v1/admin/keys', { name: 'me', role: 'submit' }));
  expect(locked).toMatchObject({ status: 400, code: 'first_key_not_admin', field: 'role' });
  const made = await send('POST', '/v1/admin/keys', { name: 'me', role: 'admin' });
  const { key, view } = (await made.json()) as { key: string; view: { id: string } };
  expect((await send('GET', '/v1/jobs')).status).toBe(401);
  expect((await send('GET', '/v1/jobs', undefined, bearing(key))).status).toBe(200);
  expect(await (await send('GET', '/v1/caller', undefined, bearing(key))).json()).toMatchObject({
    open: false,
  });
  await send('POST', `/v1/admin/keys/${view.id}/revoke`, undefined, bearing(key));
  now += 10_000;
  expect((await send('GET', '/v1/jobs')).status).toBe(200);
});

it.each(['evil.example', 'evil.example:7420', 'localhost.evil.example'])(
  'lets nobody in under the name %s, which another site can point to this machine',
  async (host) => {
    for (const [method, path] of [
      ['GET', '/v1/jobs'],
      ['GET', '/v1/models'],
      ['GET', '/v1/messages/batches'],
      ['GET', '/metrics'],
    ] as const)
      expect((await send(method, path, undefined, { host })).status, path).toBe(403);
    const problem = await refused(() => send('POST', '/v1/jobs', {}, { host }));
    expect(problem).toMatchObject({ code: 'forbidden', detail: expect.stringContaining(`not as ${host}`) });
  },
);

it('lets everybody in under a name that only means this machine', async () => {
  for (const host of ['localhost:7420', '127.0.0.1:7420', '[::1]:7420'])
    expect((await send('GET', '/v1/jobs', undefined, { host })).status).toBe(200);
});
