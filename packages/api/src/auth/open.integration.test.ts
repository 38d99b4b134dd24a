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
