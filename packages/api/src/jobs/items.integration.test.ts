import { Client } from '@macbatch/client';
import type { JobView } from '@macbatch/contract';
import { expect, it } from 'vitest';
import { fileApp, JOB } from '../testing/file-app.ts';

const control = fileApp();
const { db, errors, send, refused } = control;

const client = () =>
  new Client({
    baseUrl: 'http://control',
    retries: 0,
    fetch: (url, init) => control.app.request(url.replace('http://control', ''), init),
  });

async function submit(text: string): Promise<string> {
  const response = await send('POST', '/v1/jobs', text, { 'content-type': 'application/json' });
  expect(response.status).toBe(201);
  return ((await response.json()) as JobView).id;
}

it.each(['a/b', '..', '.', '%2e%2e', '?q=1#x', 'a b+c&d=e', '"<b>\\', '\u202e💥', ' ', '\u0001', '0'])(
  'I7: finds the item with the id %j through the client',
  async (itemId) => {
    const job = {
      ...JOB,
      items: [
        { id: 'first', payload: 1 },
        { id: itemId, payload: 2 },
      ],
    };
    const id = await submit(JSON.stringify(job));
    const item = await client().call('readItem', { params: { id }, query: { item_id: itemId } });
    expect(item).toMatchObject({ seq: 1, id: itemId, input: '2', state: 'open' });
    const { items } = await client().call('listItems', { params: { id }, query: { q: itemId } });
    expect(items.map((each) => each.id)).toEqual([itemId]);
  },
);

it('I7: gives input, params, output and error as their exact texts', async () => {
  const input = '{"b": 1.0, "a":123456789012345678901234567890, "s":"\\ud800\\u0000é"}';
  const id = await submit(
    `{"job_type":"noop","model":"noop","params":{"t" : 1E+2},"items":[{"id":"a","payload":${input}},{"id":"b","payload":1}]}`,
  );
  const lease = { worker_id: 'ann', boot_id: 'boot', lease_limit: 1, offers: [JOB] };
  const { tasks } = (await (await send('POST', '/v1/tasks/lease', lease)).json()) as {
    tasks: { task_id: string; attempt: number }[];
  };
  const [task] = tasks;
  const output = '{"x" : 1e400}';
  const model = { name: 'qwen3-8b', digest: 'd' };
  const outcomes = [
    { item_id: 'a', output, model, usage: { input_tokens: 3 } },
    { item_id: 'b', error: { code: 'too_long', message: 'x'.repeat(2000) } },
  ];
  await control.report([{ task_id: task?.task_id, attempt: task?.attempt, outcomes, final: true }]);
  const read = (seq: string) => client().call('readItem', { params: { id }, query: { seq } });
  expect(await read('0')).toMatchObject({
    state: 'ok',
    input,
    params: '{"t" : 1E+2}',
    output,
    error: null,
    usage: '{"input_tokens":3}',
    model: 'qwen3-8b',
    model_digest: 'd',
    worker: 'ann',
    attempts: [{ attempt: 1, worker: 'ann', current: false }],
  });
  const failed = await read('1');
  expect(failed).toMatchObject({ state: 'error', output: null, error_code: 'too_long' });
  expect(failed.error_message).toHaveLength(2000);
  const { items } = await client().call('listItems', { params: { id }, query: { state: 'error' } });
  expect(items[0]?.error_message).toHaveLength(500);
  expect(items[0]).not.toHaveProperty('output');
});

it('A3: names what is wrong with a request for items', async () => {
  const id = await submit(JSON.stringify({ ...JOB, items: [{ id: 'a', payload: 1 }] }));
  const at = (path: string) => refused(() => send('GET', `/v1/jobs/${id}/${path}`));
  expect(await at('item')).toMatchObject({ code: 'invalid_field', field: 'item_id' });
  expect(await at('item?seq=0&item_id=a')).toMatchObject({ code: 'invalid_field', field: 'item_id' });
  expect(await at('item?seq=1')).toMatchObject({ status: 404, code: 'not_found', field: 'seq' });
  expect(await at('item?item_id=b')).toMatchObject({ status: 404, code: 'not_found', field: 'item_id' });
  expect(await at('items?after=-2')).toMatchObject({ code: 'invalid_field', field: 'after' });
  expect(await at('items?state=lost')).toMatchObject({ code: 'invalid_field', field: 'state' });
  await db.sql`update jobs set pruned_at = now()`;
  expect(await at('items')).toMatchObject({ status: 404, code: 'not_found' });
  expect(await at('item?seq=0')).toMatchObject({ status: 404, code: 'not_found' });
});

it('no request caused an internal error', () => {
  expect(errors).toEqual([]);
});
