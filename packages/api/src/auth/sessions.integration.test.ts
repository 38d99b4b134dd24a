import { routes } from '@macbatch/contract';
import { beforeEach, expect, it } from 'vitest';
import { fileApp, JOB } from '../testing/file-app.ts';
import { bearing, keyFor } from '../testing/keyed-app.ts';

const { db, send, refused } = fileApp({ open: false });
const unprotected = fileApp();

const CREATE = routes.createSession.path;
const END = routes.endSession.path;

let key: string;
beforeEach(async () => {
  key = await keyFor(db.store, 'submit', { group: 'us' });
});

async function signIn(): Promise<string> {
  const reply = await send('POST', CREATE, undefined, bearing(key));
  return ((await reply.json()) as { readonly session: string }).session;
}

it('a session has the rights of its key, and no others', async () => {
  const session = await signIn();
  const caller = await send('GET', '/v1/caller', undefined, bearing(session));
  expect(await caller.json()).toMatchObject({ role: 'submit', group: 'us', open: false });
  const job = await send('POST', '/v1/jobs', { ...JOB, items: [{ id: 'a', payload: 1 }] }, bearing(session));
  expect(job.status).toBe(201);
  expect(await refused(() => send('GET', '/v1/admin/keys', undefined, bearing(session)))).toMatchObject({
    status: 403,
  });
});

it('a session lasts twelve hours', async () => {
  const reply = await send('POST', CREATE, undefined, bearing(key));
  const { expires_at } = (await reply.json()) as { readonly expires_at: string };
  const hours = (Date.parse(expires_at) - (await db.store.now()).getTime()) / 3_600_000;
  expect(hours).toBeGreaterThan(11.9);
  expect(hours).toBeLessThanOrEqual(12);
});

it('a session is refused from the next request on when its key is revoked', async () => {
  const session = await signIn();
  await db.store.keys.revoke(key.slice(4, 20));
  expect(await refused(() => send('GET', '/v1/jobs', undefined, bearing(session)))).toMatchObject({
    status: 401,
    code: 'invalid_key',
    detail: 'This key was revoked.',
  });
});

it('a session is refused after its time', async () => {
  const session = await signIn();
  await db.sql`update sessions set expires_at = now()`;
  expect(await refused(() => send('GET', '/v1/jobs', undefined, bearing(session)))).toMatchObject({
    status: 401,
    detail: 'This session has expired. Sign in again.',
  });
  await signIn();
  expect(await db.sql`select count(*)::int as left from sessions`).toEqual([{ left: 1 }]);
});

it('a session ends once, and its key stays valid', async () => {
  const session = await signIn();
  const first = await send('POST', END, undefined, bearing(session));
  expect(await first.json()).toEqual({ ended: true });
  expect(await refused(() => send('POST', END, undefined, bearing(session)))).toMatchObject({
    status: 401,
    detail: 'This session does not exist.',
  });
  const withKey = await send('POST', END, undefined, bearing(key));
  expect(await withKey.json()).toEqual({ ended: false });
});

it('a session cannot create a session, which would have no end', async () => {
  const session = await signIn();
  expect(await refused(() => send('POST', CREATE, undefined, bearing(session)))).toMatchObject({
    status: 403,
  });
});

it('a session with another secret is unknown, and attempts are counted like wrong keys', async () => {
  const session = await signIn();
  const forged = `${session.slice(0, -1)}${session.endsWith('A') ? 'B' : 'A'}`;
  const problem = await refused(() => send('GET', '/v1/jobs', undefined, bearing(forged)));
  expect(problem).toMatchObject({ status: 401, detail: 'This session does not exist.' });
  expect(JSON.stringify(problem)).not.toContain(session.slice(21));
});

it('a control plane without keys has no sessions', async () => {
  expect(await unprotected.refused(() => unprotected.send('POST', CREATE))).toMatchObject({
    status: 403,
    detail: 'This control plane needs no key, so there is nothing to sign in to.',
  });
});
