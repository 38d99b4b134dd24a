import type { JobPage, JobView } from '@macbatch/contract';
import { beforeEach, expect, it } from 'vitest';
import { fileApp, JOB } from '../testing/file-app.ts';
import { bearing, keyFor } from '../testing/keyed-app.ts';

const { db, errors, send, refused } = fileApp({ open: false });

let ours: string;
let admin: string;
beforeEach(async () => {
  ours = await keyFor(db.store, 'submit', { group: 'us' });
  admin = await keyFor(db.store, 'admin', { group: 'root' });
});

async function submit(key: string, name: string | undefined, idempotencyKey?: string): Promise<JobView> {
  const body = { ...JOB, ...(name === undefined ? {} : { name }), items: [{ id: 'a', payload: 1 }] };
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  const response = await send('POST', '/v1/jobs', body, { ...bearing(key), ...headers });
  expect(response.status).toBeLessThan(300);
  return (await response.json()) as JobView;
}

type Page = ReturnType<typeof JobPage.parse>;
const list = async (query: string, key = admin): Promise<Page> =>
  (await (await send('GET', `/v1/jobs?${query}`, undefined, bearing(key))).json()) as Page;
const namesOf = async (query: string, key?: string) => (await list(query, key)).jobs.map(({ name }) => name);

it('keeps the name of a job, and the name and group of the key that submitted it', async () => {
  expect(await submit(ours, 'größer <b>')).toMatchObject({
    name: 'größer <b>',
    submitted_by: 'submit',
    group: 'us',
  });
  expect(await submit(ours, undefined)).toMatchObject({ name: null });
});

it('I6: finds the job of a submission that was sent before under another name', async () => {
  const first = await submit(ours, 'a.csv', 'key');
  expect(await submit(ours, 'b.csv', 'key')).toMatchObject({ id: first.id, name: 'a.csv' });
  expect(await submit(ours, undefined, 'key')).toMatchObject({ id: first.id });
});

it.each(['', 'x'.repeat(201), 'a\u0000', '\ud800', 7, null])('A3: refuses the name %j', async (name) => {
  const body = { ...JOB, name, items: [{ id: 'a', payload: 1 }] };
  const problem = await refused(() => send('POST', '/v1/jobs', body, bearing(ours)));
  expect(problem).toMatchObject({ code: 'invalid_field', field: 'name' });
});

it('filters by several states, by type, model, group and text, and pages through open jobs first', async () => {
  const { id } = await submit(ours, 'one');
  await submit(ours, 'two');
  await submit(admin, 'Three');
  await send('POST', `/v1/jobs/${id}/cancel`, undefined, bearing(ours));
  expect(await namesOf('state=cancelled,done')).toEqual(['one']);
  expect(await namesOf('type=noop&model=noop')).toEqual(['Three', 'two', 'one']);
  expect(await namesOf('type=chat')).toEqual([]);
  expect(await namesOf('group=us')).toEqual(['two', 'one']);
  expect(await namesOf('group=')).toEqual([]);
  expect(await namesOf('q=thr')).toEqual(['Three']);
  expect(await namesOf(`q=${id.slice(0, 30)}&state=cancelled`)).toEqual(['one']);
  const names: (string | null)[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const page: Page = await list(`sort=open&limit=1${next === '' ? '' : `&before=${next}`}`);
    names.push(...page.jobs.map(({ name }) => name));
    next = page.next;
  }
  expect(names).toEqual(['Three', 'two', 'one']);
});

it('shows a submitter only the jobs of its own group, whatever group it asks for', async () => {
  await submit(ours, 'mine');
  await submit(admin, 'theirs');
  expect(await namesOf('', ours)).toEqual(['mine']);
  expect(await namesOf('group=us', ours)).toEqual(['mine']);
  expect(await namesOf('group=root', ours)).toEqual([]);
});

it('gives an open job its rate, its workers and what it waits for', async () => {
  await submit(ours, 'open');
  const [job] = (await list('')).jobs;
  expect(job).toMatchObject({
    items: { total: 1, open: 1 },
    items_per_second: 0,
    active_workers: 0,
    waits_for: 'waiting_for_worker',
    estimate: null,
  });
});

it.each(['state=lost', 'state=', 'sort=size', 'type=fly', 'before=x', 'before=open:7', 'limit=0', 'q='])(
  'A3: refuses the query %s',
  async (query) => {
    const problem = await refused(() => send('GET', `/v1/jobs?${query}`, undefined, bearing(admin)));
    expect(problem).toMatchObject({ status: 400, code: 'invalid_field' });
  },
);

it('no request caused an internal error', () => {
  expect(errors).toEqual([]);
});
