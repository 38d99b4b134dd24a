import { describe, expect, it } from 'vitest';
import { endedJob, heartbeat, submittedJob } from './testing/example-job.ts';
import { pageApp } from './testing/page-app.ts';

const app = pageApp();
const standing = pageApp({ isTimeStanding: true });
const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const BROKEN = { code: 'broken', message: 'it broke' };

describe('the list of jobs', () => {
  it('shows how to submit the first job', async () => {
    const html = await app.html('/');
    expect(html).toContain('No job yet');
    expect(html).toContain('macbatch submit');
  });

  it('shows name, counts and errors of a job, with links', async () => {
    const id = await endedJob(app, [{ id: 'a' }, { id: 'b', error: BROKEN }], 'reviews.csv');
    const html = await app.html('/');
    expect(html).toContain(`<a href="/jobs/${id}"><bdi>reviews.csv</bdi></a>`);
    expect(html).toContain('100 %: 1 ok, 1 with an error, 0 failed, 0 open');
    expect(html).toContain(`<a href="/jobs/${id}#failures">1</a>`);
  });

  it('says that no Mac can run what waits', async () => {
    await submittedJob(app, [{ id: 'a' }, { id: 'b' }]);
    expect(await app.html('/')).toContain('2 items of 1 job wait for noop with');
  });

  it('tells a filter that matches nothing from an empty list', async () => {
    await submittedJob(app, [{ id: 'a' }], 'one');
    const html = await app.html('/?q=other');
    expect(html).toContain('1 job open');
    expect(html).toContain('No jobs match this filter');
    expect(html).toContain('value="other"');
    expect(html).not.toContain('No job yet');
  });

  it('answers an update with the part that changes, and nothing else', async () => {
    const html = await app.html('/', 200, { 'hx-request': 'true' });
    expect(html).toMatch(/^<main /);
    expect(html).not.toContain('<html');
  });
});

describe('the page of a job', () => {
  it('shows the failures by group, and a retry of the group with its number', async () => {
    const id = await endedJob(app, [
      { id: 'a', error: { code: 'broken', message: 'item 1 broke' } },
      { id: 'b', error: { code: 'broken', message: 'item 2 broke' } },
      { id: 'c', error: { code: 'too_long', message: 'no room' } },
    ]);
    const html = await app.html(`/jobs/${id}`);
    expect(html).toContain('Retry 2 items…');
    const [, path = ''] = new RegExp(`href="(/jobs/${id}/retry\\?failure=[0-9a-f]{8})"`).exec(html) ?? [];
    const asked = await app.html(path);
    expect(asked).toContain('Retry 2 items of this group');
    expect(asked).toContain(`macbatch retry ${id} --failure`);
    const done = await app.post(path);
    expect(done.status).toBe(303);
    expect(done.headers.get('location')).toBe(`/jobs/${id}`);
    expect(await app.api('GET', `/v1/jobs/${id}`)).toMatchObject({
      state: 'running',
      items: { error: 1, open: 2 },
    });
  });

  it('cancels the job after a question that names the number of items', async () => {
    const id = await submittedJob(app, [{ id: 'a' }, { id: 'b' }]);
    expect(await app.html(`/jobs/${id}/cancel`)).toContain('Cancel the job and its 2 open items');
    expect(await app.api('GET', `/v1/jobs/${id}`)).toMatchObject({ state: 'queued' });
    expect((await app.post(`/jobs/${id}/cancel`)).status).toBe(303);
    expect(await app.api('GET', `/v1/jobs/${id}`)).toMatchObject({ state: 'cancelled' });
  });

  it('retries all failures of the job', async () => {
    const id = await endedJob(app, [{ id: 'a', error: BROKEN }, { id: 'b' }]);
    expect(await app.html(`/jobs/${id}/retry`)).toContain('Retry all 1 failed item');
    expect((await app.post(`/jobs/${id}/retry`)).status).toBe(303);
    expect(await app.api('GET', `/v1/jobs/${id}`)).toMatchObject({ items: { error: 0, open: 1 } });
  });

  it('warns if different builds of the model ran', async () => {
    const build = (id: string, digest: string) => ({ id, model: { name: 'demo', digest } });
    const mixed = await endedJob(app, [build('a', 'sha256:1'), build('b', 'sha256:2')]);
    expect(await app.html(`/jobs/${mixed}`)).toContain(
      '2 builds of the model ran: demo (sha256:1), demo (sha256:2). Outcomes may not be comparable',
    );
    const same = await endedJob(app, [build('c', 'sha256:1'), build('d', 'sha256:1')]);
    expect(await app.html(`/jobs/${same}`)).not.toContain('of the model ran');
  });

  it('downloads the outcomes as JSON lines and CSV, all or the errors', async () => {
    const id = await endedJob(app, [{ id: 'a' }, { id: 'b', error: BROKEN }]);
    const lines = await app.html(`/jobs/${id}/results.jsonl`);
    expect(lines.trimEnd().split('\n')).toHaveLength(2);
    const errors = await app.get(`/jobs/${id}/results.csv?status=error`);
    expect(errors.headers.get('content-disposition')).toBe(`attachment; filename="${id}-errors.csv"`);
    const [head, row, end] = (await errors.text()).split('\n');
    expect(head).toBe('id,output,status,error_code,error_message,model,finished_at');
    expect(row).toContain('b,,error,broken,it broke');
    expect(end).toBe('');
  });
});

describe('items', () => {
  it('lists items by state, with links to each', async () => {
    const id = await endedJob(app, [{ id: 'a' }, { id: 'b', error: BROKEN }]);
    const html = await app.html(`/jobs/${id}/items?state=error`);
    expect(html).toContain(`<a href="/jobs/${id}/items/1"><bdi>b</bdi></a>`);
    expect(html).not.toContain(`/jobs/${id}/items/0"`);
  });

  it('shows input and output of one item, exactly', async () => {
    const id = await endedJob(app, [{ id: 'a', payload: { big: 'é' } }]);
    const html = await app.html(`/jobs/${id}/items/0`);
    expect(html).toContain('{&quot;big&quot;:&quot;é&quot;}');
    expect(html).toContain('<bdi>true</bdi>');
  });

  it('cuts a long text and offers the whole', async () => {
    const text = 'x'.repeat(100_000);
    const id = await endedJob(app, [{ id: 'a', payload: text }]);
    const html = await app.html(`/jobs/${id}/items/0`);
    expect(html.length).toBeLessThan(120_000);
    expect(html).toContain(`/jobs/${id}/items/0/input.json`);
    expect(await app.html(`/jobs/${id}/items/0/input.json`)).toBe(JSON.stringify(text));
  });
});

describe('Macs', () => {
  it('shows how to join the first one', async () => {
    expect(await app.html('/macs')).toContain('No Mac has joined yet');
  });

  it('shows each one with the reason for its state', async () => {
    await heartbeat(app, 'studio');
    const html = await app.html('/macs');
    expect(html).toContain('<a href="/macs/studio"><bdi>studio</bdi></a>');
    expect(html).toContain('no open job');
    expect(await app.html('/macs/studio')).toContain('no open job');
  });
});

it('shows the throughput by Mac as a plot with its table, and the totals', async () => {
  expect(await app.html('/throughput')).toContain('No item ended in this time');
  await endedJob(app, [{ id: 'a' }, { id: 'b', error: BROKEN }]);
  const html = await app.html('/throughput?by=worker&hours=6');
  expect(html).toContain('<figure class="plot"');
  expect(html).toContain('2 items ended between');
  expect(html).toMatch(/<bdi>ann<\/bdi><\/th><td class="number">1<\/td><td class="number">1<\/td>/);
  expect(await app.html('/throughput?model=other')).toContain('No items match this filter');
});

it('an update after an action shows its effect, although updates are shared', async () => {
  const update = { 'hx-request': 'true' };
  const id = await submittedJob(standing, [{ id: 'a' }]);
  expect(await standing.html(`/jobs/${id}`, 200, update)).toContain('data-state="queued"');
  await submittedJob(standing, [{ id: 'a' }]);
  expect(await standing.html('/', 200, update)).toContain(id);
  await standing.post(`/jobs/${id}/cancel`);
  expect(await standing.html(`/jobs/${id}`, 200, update)).toContain('data-state="cancelled"');
  expect(standing.errors).toEqual([]);
});

it('an update after an event of the stream shows the change, although updates are shared', async () => {
  const stream = await standing.get('/stream?topics=jobs');
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  const nextEvent = async () => {
    for (;;) {
      const text = (await reader?.read())?.value ?? '';
      // A slow test also reads the comments that keep the connection open.
      if (!text.startsWith(':')) return text;
    }
  };
  expect(await nextEvent()).toContain('event: ready');
  const update = { 'hx-request': 'true' };
  expect(await standing.html('/', 200, update)).toContain('No job yet');
  const id = await submittedJob(standing, [{ id: 'a' }]);
  expect(await nextEvent()).toContain('event: jobs-changed');
  expect(await standing.html('/', 200, update)).toContain(`/jobs/${id}`);
  await reader?.cancel();
});

it('pauses a Mac with a reason and an end, and resumes it', async () => {
  await heartbeat(app, 'studio');
  expect(await app.html('/macs/studio/pause')).toContain('Pause studio');
  const paused = await app.post('/macs/studio/pause', { hours: '2', reason: 'film', drain: 'true' });
  expect(paused.headers.get('location')).toBe('/macs/studio');
  const html = await app.html('/macs');
  expect(html).toContain('data-state="paused"');
  expect(html).toContain(': <bdi>film</bdi>');
  expect((await app.post('/macs/studio/resume')).status).toBe(303);
  expect(await app.html('/macs')).not.toContain('data-state="paused"');
});

it('creates and revokes a key, which is shown once', async () => {
  const made = await app.post('/admin/keys/create', { name: 'me', role: 'admin', group: '', days: '' });
  const [key = ''] = /mbk_[\w-]+/.exec(await made.text()) ?? [];
  expect(key).toMatch(/^mbk_[0-9a-f]{16}_[\w-]{43}$/);
  const session = await app.signIn(key);
  const html = await app.html('/admin', 200, session);
  expect(html).toContain(key.slice(4, 20));
  expect(html).not.toContain(key);
  const revoked = await app.post(`/admin/keys/${key.slice(4, 20)}/revoke`, {}, session);
  expect(revoked.status).toBe(303);
  expect(await app.db.store.keys.hasValid()).toBe(false);
});

it('invites a Mac with one command', async () => {
  const invited = await app.post('/admin/invite', { worker_id: 'studio', minutes: '60' });
  expect(await invited.text()).toMatch(
    /MACBATCH_JOIN_TOKEN=&#39;mbj_.* &#39;http:\/\/127\.0\.0\.1&#39; &#39;studio&#39;/,
  );
});

it('counts what pruning would delete, and deletes only then', async () => {
  const id = await endedJob(app, [{ id: 'a' }]);
  await app.db.sql`update jobs set finished_at = now() - interval '100 days'`;
  expect(await app.html('/admin/prune?days=30')).toContain('Delete 1 job');
  expect(await app.html(`/jobs/${id}`)).toContain('100 %');
  expect((await app.post('/admin/prune?days=30')).status).toBe(303);
  await app.html(`/jobs/${id}`, 404);
});

describe('an address that leads nowhere', () => {
  it.each([
    ['/nope', 404],
    [`/jobs/${UNKNOWN}`, 404],
    [`/jobs/${UNKNOWN}/items`, 404],
    [`/jobs/${UNKNOWN}/cancel`, 404],
    [`/jobs/${UNKNOWN}/results.csv`, 404],
    ['/jobs/no-id', 400],
    ['/?state=nope', 400],
    ['/?before=nope', 400],
    ['/events?before=%00', 400],
    [`/?q=${'x'.repeat(5000)}`, 400],
  ])('%.60s is a page that says so (%d)', async (path, status) => {
    const html = await app.html(path, status);
    expect(html).toContain('<h1>');
    expect(html).toContain('<a href="/">All jobs</a>');
  });

  it('an unknown Mac is a page that says so', async () => {
    expect(await app.html('/macs/nobody')).toContain('Unknown Mac');
  });
});

it('keeps theme and zone in cookies, and shows times in that zone', async () => {
  const kept = await app.post('/preferences', { theme: 'dark', zone: 'Asia/Tokyo', next: '/macs?x=1' });
  expect(kept.headers.get('location')).toBe('/macs?x=1');
  const cookies = kept.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  const id = await submittedJob(app, [{ id: 'a' }]);
  const html = await app.html(`/jobs/${id}`, 200, { cookie: cookies.join('; ') });
  expect(html).toContain('data-theme="dark"');
  expect(html).toContain('GMT+9');
});

it('no page caused an internal error', () => {
  expect(app.errors).toEqual([]);
});
