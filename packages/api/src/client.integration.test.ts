import { ApiError, Client } from '@macbatch/client';
import { expect, it } from 'vitest';
import { completed, fileApp, JOB, LEASE } from './testing/file-app.ts';

const control = fileApp();
const client = new Client({
  baseUrl: 'http://control',
  fetch: (url, init) => control.app.request(url.slice('http://control'.length), init),
});

async function* lines() {
  yield JSON.stringify({ ...JOB, shard_size: 1, params: { a: 1 } });
  for (const id of ['a', 'b']) yield JSON.stringify({ id, payload: { id } });
}

it('A2: the whole life of a job goes through the client that is derived from the contract', async () => {
  const { job, created } = await client.submit(lines, { idempotencyKey: 'k' });
  expect([created, (await client.submit(lines, { idempotencyKey: 'k' })).created]).toEqual([true, false]);
  expect(job).toMatchObject({ state: 'queued', items: { total: 2 }, params: { a: 1 } });
  const { tasks } = await client.call('leaseTasks', { body: { ...LEASE, offers: [...LEASE.offers] } });
  const entries = tasks.map((task) => completed(task, '{"x":1}'));
  const { entries: replies } = await client.call('completeBatch', { body: { worker_id: 'ann', entries } });
  expect(replies.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted']);
  expect(await client.call('readJob', { params: { id: job.id } })).toMatchObject({
    state: 'done',
    items: { ok: 2, open: 0 },
    lease_expired_events: 0,
  });
  const results: unknown[] = [];
  for await (const line of client.results(job.id)) results.push(JSON.parse(line));
  expect(results).toMatchObject([
    { id: 'a', status: 'ok', output: { x: 1 }, worker: 'ann', attempt: 1 },
    { id: 'b', status: 'ok', output: { x: 1 }, worker: 'ann', attempt: 1 },
  ]);
  expect((await client.call('listJobs', { query: {} })).jobs).toHaveLength(1);
});

it('A3: the error of the client has the code and the line of a refusal', async () => {
  async function* bad() {
    yield JSON.stringify(JOB);
    yield '{"id":""}';
  }
  const refused = client.submit(bad);
  await expect(refused).rejects.toBeInstanceOf(ApiError);
  await expect(refused).rejects.toMatchObject({ code: 'invalid_item', problem: { line: 2 } });
});

it('A2: the OpenAPI document is served', async () => {
  const response = await control.send('GET', '/openapi.json');
  expect(await response.json()).toMatchObject({ openapi: '3.1.0' });
});
