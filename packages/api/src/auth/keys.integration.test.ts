import { beforeEach, describe, expect, it } from 'vitest';
import { fileApp, JOB, LEASE } from '../testing/file-app.ts';
import { bearing, keyFor } from '../testing/keyed-app.ts';

const { db, send, refused } = fileApp({ open: false });

const SUBMISSION = { ...JOB, items: [{ id: 'a', payload: 1 }] };

async function submitted(key: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await send('POST', '/v1/jobs', SUBMISSION, { ...bearing(key), ...headers });
  expect(response.status).toBeLessThan(300);
  return ((await response.json()) as { id: string }).id;
}

let admin: string;
beforeEach(async () => {
  admin = await keyFor(db.store, 'admin');
});

describe('an invalid key', () => {
  const good = 'mbk_0123456789abcdef_';
  it.each([
    ['', 'invalid_key'],
    ['Bearer', 'invalid_key'],
    ['Bearer ', 'invalid_key'],
    ['Basic bWU6cGFzcw==', 'invalid_key'],
    ['Bearer sk-1234', 'invalid_key'],
    [`Bearer ${good}`, 'invalid_key'],
    [`Bearer ${good}${'a'.repeat(42)}`, 'invalid_key'],
    [`Bearer ${good}${'a'.repeat(44)}`, 'invalid_key'],
    [`Bearer ${good}${'a'.repeat(43)}`, 'invalid_key'],
    [`Bearer mbj_0123456789abcdef_${'a'.repeat(43)}`, 'invalid_key'],
    [`Bearer mbk_0123456789abcde'_${'a'.repeat(43)}`, 'invalid_key'],
    [`Bearer ${good}${'a'.repeat(43)}, Bearer ${good}${'a'.repeat(43)}`, 'invalid_key'],
  ])('%s is refused', async (authorization, code) => {
    const problem = await refused(() => send('GET', '/v1/jobs', undefined, { authorization }));
    expect(problem).toMatchObject({ status: 401, code });
  });

  it('gets the reason "expired" or "revoked" only with the right secret', async () => {
    const expired = await keyFor(db.store, 'submit', { expiresInMs: -1 });
    const old = await refused(() => send('GET', '/v1/jobs', undefined, bearing(expired)));
    expect(old).toMatchObject({ status: 401, detail: 'This key has expired.' });
    const revoked = await keyFor(db.store, 'submit');
    const id = revoked.slice(4, 20);
    expect((await send('POST', `/v1/admin/keys/${id}/revoke`, undefined, bearing(admin))).status).toBe(200);
    const withRevokedKey = await refused(() => send('GET', '/v1/jobs', undefined, bearing(revoked)));
    expect(withRevokedKey).toMatchObject({ status: 401, detail: 'This key was revoked.' });
    const guessed = `mbk_${id}_${'a'.repeat(43)}`;
    const wrong = await refused(() => send('GET', '/v1/jobs', undefined, bearing(guessed)));
    expect(wrong).toMatchObject({ status: 401, detail: 'This key does not exist.' });
  });

  it.each(['key', 'api_key', 'token', 'access_token'])('is refused in a URL (?%s=)', async (name) => {
    const problem = await refused(() => send('GET', `/v1/jobs?${name}=${admin}`));
    expect(problem).toMatchObject({ status: 400, code: 'key_in_url' });
    expect(JSON.stringify(problem)).not.toContain(admin);
  });

  it('is never echoed in an error', async () => {
    const problem = await refused(() => send('GET', '/v1/jobs', undefined, bearing(`${admin}x`)));
    expect(JSON.stringify(problem)).not.toContain(admin.slice(21));
  });

  it.each(["' or 1=1 --", '../../etc/passwd', '%2e%2e%2f', '0123456789ABCDEF', 'a'.repeat(5000)])(
    'the key id %s to revoke is refused',
    async (id) => {
      const path = `/v1/admin/keys/${encodeURIComponent(id)}/revoke`;
      const problem = await refused(() => send('POST', path, undefined, bearing(admin)));
      expect([400, 404]).toContain(problem.status);
    },
  );
});

describe('jobs', () => {
  it('are visible only to the group of the key', async () => {
    const ours = await keyFor(db.store, 'submit', { group: 'us' });
    const alsoOurs = await keyFor(db.store, 'submit', { group: 'us' });
    const theirs = await keyFor(db.store, 'submit', { group: 'them' });
    const id = await submitted(ours);
    const routes = [
      ['GET', `/v1/jobs/${id}`],
      ['GET', `/v1/jobs/${id}/explanation`],
      ['GET', `/v1/jobs/${id}/results`],
      ['GET', `/v1/jobs/${id}/audit`],
      ['POST', `/v1/jobs/${id}/cancel`],
      ['POST', `/v1/jobs/${id}/retry`],
    ] as const;
    for (const [method, path] of routes) {
      const problem = await refused(() =>
        send(method, path, path.endsWith('retry') ? {} : undefined, bearing(theirs)),
      );
      expect(problem).toMatchObject({
        status: 404,
        code: 'not_found',
        detail: `The job ${id} does not exist.`,
      });
    }
    const list = async (key: string) =>
      ((await (await send('GET', '/v1/jobs', undefined, bearing(key))).json()) as { jobs: unknown[] }).jobs
        .length;
    expect(await Promise.all([ours, alsoOurs, theirs, admin].map(list))).toEqual([1, 1, 0, 1]);
    expect((await send('GET', `/v1/jobs/${id}`, undefined, bearing(alsoOurs))).status).toBe(200);
  });

  it('I6: gives two groups their own jobs for the same idempotency key', async () => {
    const ours = await keyFor(db.store, 'submit', { group: 'us' });
    const theirs = await keyFor(db.store, 'submit', { group: 'them' });
    const key = { 'idempotency-key': 'monday' };
    const first = await submitted(ours, key);
    expect(await submitted(ours, key)).toBe(first);
    expect(await submitted(theirs, key)).not.toBe(first);
  });

  it('I2: reuses outcomes within a group and never across groups', async () => {
    const ours = await keyFor(db.store, 'submit', { group: 'us' });
    const theirs = await keyFor(db.store, 'submit', { group: 'them' });
    const body = { ...SUBMISSION, reuse: 'ledger' };
    const view = async (key: string) =>
      (await (await send('POST', '/v1/jobs', body, bearing(key))).json()) as { items: { ok: number } };
    await view(ours);
    const leased = await send('POST', '/v1/tasks/lease', LEASE, bearing(admin));
    const [task] = ((await leased.json()) as { tasks: { task_id: string; attempt: number }[] }).tasks;
    const entries = [
      {
        ...{ task_id: task?.task_id, attempt: task?.attempt },
        outcomes: [{ item_id: 'a', output: '7' }],
        final: true,
      },
    ];
    await send('POST', '/v1/tasks/complete_batch', { worker_id: 'ann', entries }, bearing(admin));
    expect((await view(ours)).items.ok).toBe(1);
    expect((await view(theirs)).items.ok).toBe(0);
  });
});

describe('a worker key', () => {
  it('is valid only for its own worker', async () => {
    const ann = await keyFor(db.store, 'worker', { workerId: 'ann' });
    const lease = { task_id: '1', attempt: 1 };
    const asBob = [
      ['/v1/tasks/lease', { ...LEASE, worker_id: 'bob' }],
      ['/v1/tasks/complete_batch', { worker_id: 'bob', entries: [{ ...lease, outcomes: [], final: false }] }],
      ['/v1/tasks/release', { worker_id: 'bob', tasks: [lease] }],
    ] as const;
    for (const [path, body] of asBob) {
      const problem = await refused(() => send('POST', path, body, bearing(ann)));
      expect(problem).toMatchObject({ status: 403, code: 'forbidden', field: 'worker_id' });
    }
  });

  it('reports only tasks that its worker leased', async () => {
    const submit = await keyFor(db.store, 'submit');
    const ann = await keyFor(db.store, 'worker', { workerId: 'ann' });
    const bob = await keyFor(db.store, 'worker', { workerId: 'bob' });
    await submitted(submit);
    const leased = await send('POST', '/v1/tasks/lease', LEASE, bearing(ann));
    const [task] = ((await leased.json()) as { tasks: { task_id: string; attempt: number }[] }).tasks;
    const entries = [
      {
        task_id: task?.task_id,
        attempt: task?.attempt,
        outcomes: [{ item_id: 'a', output: '0' }],
        final: true,
      },
    ];
    const reply = await send('POST', '/v1/tasks/complete_batch', { worker_id: 'bob', entries }, bearing(bob));
    expect(await reply.json()).toMatchObject({ entries: [{ outcome: 'refused', code: 'not_leased' }] });
  });
});

describe('joining', () => {
  const invite = async (body: object = {}) =>
    ((await (await send('POST', '/v1/admin/join_tokens', body, bearing(admin))).json()) as { token: string })
      .token;
  const join = (token: string, worker = 'ann') =>
    send('POST', '/v1/workers/join', { worker_id: worker }, bearing(token));

  it('exchanges a token once for a worker key', async () => {
    const token = await invite();
    const joined = await join(token);
    const { key } = (await joined.json()) as { key: string };
    expect((await send('POST', '/v1/tasks/lease', LEASE, bearing(key))).status).toBe(200);
    const again = await refused(() => join(token));
    expect(again).toMatchObject({ status: 401, code: 'invalid_key' });
    expect(JSON.stringify(again)).not.toContain(token);
  });

  it('admits one of two workers that use a token at the same time', async () => {
    const token = await invite();
    const statuses = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (id) => (await join(token, id)).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(3);
  });

  it('refuses an expired token, a token for another worker, an invalid token and a key', async () => {
    const late = await invite({ expires_in_minutes: 0.000001 });
    expect(await refused(() => join(late))).toMatchObject({ status: 401 });
    const bobs = await invite({ worker_id: 'bob' });
    expect(await refused(() => join(bobs))).toMatchObject({ status: 403, field: 'worker_id' });
    expect(await refused(() => join(admin))).toMatchObject({ status: 401 });
    expect(await refused(() => join(`mbj_0123456789abcdef_${'a'.repeat(43)}`))).toMatchObject({
      status: 401,
    });
    expect(await refused(() => send('POST', '/v1/workers/join', { worker_id: 'ann' }))).toMatchObject({
      status: 401,
      code: 'unauthenticated',
    });
  });

  it('revokes the key that the worker had before', async () => {
    const first = ((await (await join(await invite())).json()) as { key: string }).key;
    const second = ((await (await join(await invite())).json()) as { key: string }).key;
    const lease = async (key: string) => (await send('POST', '/v1/tasks/lease', LEASE, bearing(key))).status;
    expect([await lease(first), await lease(second)]).toEqual([401, 200]);
  });
});

it('stores only hashes of keys and join tokens', async () => {
  const { token } = (await (await send('POST', '/v1/admin/join_tokens', {}, bearing(admin))).json()) as {
    token: string;
  };
  const tables =
    await db.sql`select keys::text as row from keys union all select join_tokens::text from join_tokens`;
  for (const { row } of tables) for (const text of [admin, token]) expect(row).not.toContain(text.slice(21));
});
