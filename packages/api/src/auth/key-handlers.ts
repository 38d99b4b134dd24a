import { routes } from '@macbatch/contract';
import type { Key } from '@macbatch/store';
import { VERSION } from '../operations/version.ts';
import { mount, readInput, type Surface } from '../requests/mount.ts';
import { RefusedRequest } from '../requests/refused-request.ts';
import { newSecret, sameHash } from './key-text.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Lifetime of a session, unless its key ends first. */
const SESSION_MS = 12 * 60 * MINUTE_MS;

/** Mounts the routes that manage keys and let workers join. */
export function mountKeys(surface: Surface): void {
  const { app, store, authenticator } = surface;

  mount(surface, 'readCaller', async (_, caller) => ({
    role: caller.role,
    group: caller.owner,
    worker_id: caller.workerId,
    open: caller.keyId === null,
    version: VERSION,
    now: (await store.now()).toISOString(),
  }));

  mount(surface, 'createSession', async (_, { keyId, sessionId }) => {
    if (keyId === null)
      throw new RefusedRequest(
        'forbidden',
        'This control plane needs no key, so there is nothing to sign in to.',
      );
    if (sessionId !== null)
      throw new RefusedRequest('forbidden', 'A session is created with a key, not with another session.');
    const { text, stored } = newSecret('mbs');
    const expiresAt = await store.keys.addSession({ ...stored, keyId, expiresInMs: SESSION_MS });
    return { session: text, expires_at: expiresAt.toISOString() };
  });

  mount(surface, 'endSession', async (_, { sessionId }) => ({
    ended: sessionId !== null && (await store.keys.endSession(sessionId)),
  }));

  mount(surface, 'createKey', async ({ body }, caller) => {
    if (caller.keyId === null && body.role !== 'admin') {
      throw new RefusedRequest(
        'first_key_not_admin',
        'As soon as a key exists, every request needs one. Create an admin key first.',
        { field: 'role' },
      );
    }
    const { text, stored } = newSecret('mbk');
    const key = await store.keys.add({
      ...stored,
      name: body.name,
      role: body.role,
      owner: body.group ?? body.name,
      workerId: body.worker_id ?? null,
      expiresInMs: body.expires_in_days === undefined ? null : body.expires_in_days * DAY_MS,
    });
    authenticator.closed();
    return { key: text, view: keyView(key) };
  });

  mount(surface, 'listKeys', async () => ({ keys: (await store.keys.list()).map(keyView) }));

  mount(surface, 'revokeKey', async ({ params }) => {
    const key = await store.keys.revoke(params.id);
    if (key === null) throw new RefusedRequest('not_found', `The key ${params.id} does not exist.`);
    return keyView(key);
  });

  mount(surface, 'createJoinToken', async ({ body }) => {
    const { text, stored } = newSecret('mbj');
    const expiresInMs = body.expires_in_minutes * MINUTE_MS;
    const workerId = body.worker_id ?? null;
    const expiresAt = await store.keys.addJoinToken({ ...stored, workerId, expiresInMs });
    return { token: text, expires_at: expiresAt.toISOString() };
  });

  app.post(routes.joinWorker.path, async (c) => {
    const given = await authenticator.joinToken(c);
    const { body } = await readInput(surface, 'joinWorker', c);
    const token = await store.keys.findJoinToken(given.id);
    if (token === null || !sameHash(token.hash, given.hash))
      throw new RefusedRequest('invalid_key', 'This join token does not exist.');
    if (token.workerId !== null && token.workerId !== body.worker_id) {
      throw new RefusedRequest('forbidden', `This token is only valid for the worker ${token.workerId}.`, {
        field: 'worker_id',
      });
    }
    const { text, stored } = newSecret('mbk');
    const key = await store.keys.join(given.id, body.worker_id, stored);
    if (key === null)
      throw new RefusedRequest('invalid_key', 'This join token has been used or has expired.');
    authenticator.closed();
    return c.json({ key: text, worker_id: body.worker_id });
  });
}

function keyView(key: Key) {
  return {
    id: key.id,
    name: key.name,
    role: key.role,
    group: key.owner,
    worker_id: key.workerId,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}
