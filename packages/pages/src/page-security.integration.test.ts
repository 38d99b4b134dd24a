import { beforeEach, describe, expect, it } from 'vitest';
import { endedJob, heartbeat, submittedJob } from './testing/example-job.ts';
import { pageApp } from './testing/page-app.ts';

const app = pageApp({ open: false });
const unprotected = pageApp();

let key: string;
beforeEach(async () => {
  key = await app.keyFor('admin');
});

describe('sign-in', () => {
  it('leads from any page to the form and back', async () => {
    const asked = await app.get('/macs?x=1');
    expect(asked.status).toBe(303);
    expect(asked.headers.get('location')).toBe('/sign-in?next=%2Fmacs%3Fx%3D1');
    const done = await app.post('/sign-in', { key, next: '/macs?x=1' });
    expect(done.status).toBe(303);
    expect(done.headers.get('location')).toBe('/macs?x=1');
  });

  it('keeps the session where no script and no other site can use it', async () => {
    const response = await app.post('/sign-in', { key, next: '/' });
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^macbatch_session=mbs_/);
    expect(cookie).toContain('HttpOnly');
    expect(cookie).toContain('SameSite=Strict');
    expect(cookie).toContain('Expires=');
    expect(cookie).not.toContain(key);
    expect(cookie).not.toContain('Secure');
    const overTls = await app.post('/sign-in', { key, next: '/' }, { 'x-forwarded-proto': 'https' });
    expect(overTls.headers.get('set-cookie')).toContain('Secure');
  });

  it.each(['', 'x', 'mbk_1', `mbk_0123456789abcdef_${'a'.repeat(43)}`, 'ключ', '\u0000'])(
    'refuses %j and does not repeat it',
    async (wrong) => {
      const response = await app.post('/sign-in', { key: wrong, next: '/' });
      expect(response.status).toBe(401);
      const html = await response.text();
      expect(html).toContain('role="alert"');
      if (wrong.length > 5) expect(html).not.toContain(wrong);
    },
  );

  it('never leads to another site', async () => {
    const done = await app.post('/sign-in', { key, next: '//evil.example' });
    expect(done.headers.get('location')).toBe('/');
  });

  it('ends with sign-out, and with the key', async () => {
    const session = await app.signIn(key);
    await app.html('/', 200, session);
    expect((await app.post('/sign-out', {}, session)).status).toBe(303);
    expect((await app.get('/', session)).status).toBe(303);
    const other = await app.signIn(key);
    await app.db.store.keys.revoke(key.slice(4, 20));
    expect((await app.get('/', other)).headers.get('location')).toMatch(/^\/sign-in/);
  });

  it('sends an update of a page whose session has ended to the form', async () => {
    const response = await app.get('/macs', { 'hx-request': 'true' });
    expect(response.status).toBe(401);
    expect(response.headers.get('hx-redirect')).toBe('/sign-in?next=%2Fmacs');
  });
});

describe('roles', () => {
  const submission = { job_type: 'noop', model: 'noop', items: [{ id: 'a', payload: 1 }] };
  const submitted = async (by: string) =>
    (await app.api<{ readonly id: string }>('POST', '/v1/jobs', submission, by)).id;

  it('read sees the jobs of its group and no action, and the server refuses the action', async () => {
    const id = await submitted(await app.keyFor('submit'));
    const reader = await app.signIn(await app.keyFor('read'));
    const html = await app.html(`/jobs/${id}`, 200, reader);
    expect(html).not.toContain('Cancel…');
    expect(html).not.toContain('href="/admin"');
    const refused = await app.post(`/jobs/${id}/cancel`, {}, reader);
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('Not allowed');
    expect(await app.api('GET', `/v1/jobs/${id}`, undefined, key)).toMatchObject({ state: 'queued' });
  });

  it('submit may cancel the jobs of its group, and sees no other group and no keys', async () => {
    const ours = await app.keyFor('submit');
    const id = await submitted(ours);
    const theirs = await app.signIn(await app.keyFor('submit', 'them'));
    await app.html(`/jobs/${id}`, 404, theirs);
    expect((await app.post(`/jobs/${id}/cancel`, {}, theirs)).status).toBe(404);
    const session = await app.signIn(ours);
    await app.html('/admin', 403, session);
    expect((await app.post(`/jobs/${id}/cancel`, {}, session)).status).toBe(303);
  });

  it('what one reader sees is never shared with a reader of another group', async () => {
    const ours = await app.keyFor('submit');
    await submitted(ours);
    const session = await app.signIn(ours);
    const theirs = await app.signIn(await app.keyFor('submit', 'them'));
    const update = { 'hx-request': 'true' };
    expect(await app.html('/', 200, { ...session, ...update })).toContain('<tr id="job-');
    expect(await app.html('/', 200, { ...theirs, ...update })).not.toContain('<tr id="job-');
  });
});

describe('requests from other sites', () => {
  it.each([
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://127.0.0.1:1' },
  ])('a form sent with %j changes nothing', async (headers) => {
    const session = await app.signIn(key);
    const refused = await app.post(
      '/admin/keys/create',
      { name: 'x', role: 'admin' },
      { ...session, ...headers },
    );
    expect(refused.status).toBe(403);
    expect(await app.db.store.keys.list()).toHaveLength(1);
  });

  it('a form that does not say where it comes from changes nothing', async () => {
    const session = await app.signIn(key);
    const refused = await app.post('/sign-out', {}, { ...session, origin: '', 'sec-fetch-site': '' });
    expect(refused.status).toBe(403);
  });

  it('a garbled session is no session', async () => {
    for (const value of ['x', '%D0%BA', '%00', 'mbs_1'])
      expect((await app.get('/', { cookie: `macbatch_session=${value}` })).status).toBe(303);
  });

  it('without keys, nobody gets in under a name that another site can point here', async () => {
    const job = await submittedJob(unprotected, [{ id: 'a' }]);
    for (const path of ['/', `/jobs/${job}/cancel`, '/stream?topics=jobs']) {
      const refused = await unprotected.get(path, { host: 'evil.example:7420' });
      expect(refused.status).toBe(403);
      expect(await refused.text()).toContain('not as evil.example:7420');
    }
    const posted = await unprotected.post(`/jobs/${job}/cancel`, {}, { host: 'evil.example' });
    expect(posted.status).toBe(403);
    await unprotected.html('/', 200, { host: 'localhost:7420' });
  });
});

describe('every page', () => {
  const pagesOf = async () => {
    const id = await endedJob(unprotected, [{ id: 'a', error: { code: 'broken', message: 'it broke' } }]);
    await heartbeat(unprotected, 'ann');
    return [
      '/',
      `/jobs/${id}`,
      `/jobs/${id}/items`,
      `/jobs/${id}/items/0`,
      `/jobs/${id}/cancel`,
      `/jobs/${id}/retry`,
      '/macs',
      '/macs/ann',
      '/events',
      '/throughput',
      '/admin',
      '/admin/keys/create',
      '/admin/invite',
      '/admin/prune',
      '/sign-in',
    ];
  };

  it('forbids everything inline and from elsewhere, and keeps to it', async () => {
    for (const path of await pagesOf()) {
      const response = await unprotected.get(path);
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('unsafe');
      expect(response.headers.get('cache-control')).toBe('no-store');
      const html = await response.text();
      expect(html, path).not.toMatch(/<script(?![^>]* src="\/assets\/)/);
      expect(html, path).not.toMatch(/ (style|on\w+|hx-on[^=]*)="/);
      // Htmx evaluates these.
      expect(html, path).not.toMatch(/hx-[\w:-]+="(js|javascript):/);
      expect(html, path).not.toMatch(/hx-trigger="[^"]*\[/);
      expect(html, path).not.toMatch(/(src|href|action)="(https?:)?\/\//);
    }
  });

  it('loads only files that exist and that browsers may cache for a year', async () => {
    const html = await unprotected.html('/');
    const paths = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(5);
    for (const path of paths) {
      const response = await unprotected.get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toContain('immutable');
    }
  });
});

it('no page caused an internal error', () => {
  expect([...app.errors, ...unprotected.errors]).toEqual([]);
});
