import { rowCounts } from '@macbatch/store/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { batchApp } from '../testing/batch-app.ts';
import { fileApp } from '../testing/file-app.ts';
import { keyFor } from '../testing/keyed-app.ts';

const PATH = '/v1/messages/batches';
let now = 0;
const control = fileApp({
  monotonicMs: () => now,
  limits: { maxMessageRequests: 5, maxMessageBatchBytes: 100_000, maxFileLineBytes: 50_000 },
  quota: { items: 3, payloadBytes: 1_000_000 },
});
const { failures, json, settle, run, lease } = batchApp({}, control, '/v1/messages');

afterAll(() => {
  expect(failures).toEqual([]);
  expect(control.errors).toEqual([]);
});

interface Batch {
  readonly id: string;
  readonly processing_status: string;
  readonly request_counts: Record<string, number>;
  readonly results_url: string | null;
  readonly [field: string]: unknown;
}

const request = (id: string, params = '{"model":"m","max_tokens":1,"messages":[]}') =>
  `{"custom_id":"${id}","params":${params}}`;
const body = (...requests: readonly string[]) => `{"requests":[${requests.join(',')}]}`;
const post = (text: string | Uint8Array, headers: Record<string, string> = {}) =>
  control.send('POST', PATH, text, headers);
const create = (...requests: readonly string[]) => json<Batch>(post(body(...requests)));
const read = (id: string) => json<Batch>(control.send('GET', `${PATH}/${id}`));
const cancel = (id: string) => json<Batch>(control.send('POST', `${PATH}/${id}/cancel`));
const COUNTS = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };

async function results(id: string): Promise<string[]> {
  const { results_url: url } = await read(id);
  const response = await control.send('GET', url ?? '');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/x-jsonl');
  return (await response.text()).trimEnd().split('\n');
}

/** Expects an error as Anthropic describes it. */
async function problem(response: Response | Promise<Response>, status: number, type: string) {
  const reply = await response;
  const text = await reply.text();
  expect(reply.status, text).toBe(status);
  const error = JSON.parse(text) as { error: { message: string } };
  expect(error).toEqual({
    type: 'error',
    error: { type, message: expect.any(String) as string },
    request_id: reply.headers.get('request-id'),
  });
  expect(reply.headers.get('request-id')).toMatch(/^req_[0-9a-f]{32}$/);
  return error.error.message;
}

describe('a message batch', () => {
  it('A4: goes from in_progress to ended, with the fields of Anthropic at each step', async () => {
    const created = await create(request('a'), request('b'), request('c', '{"model":"other"}'));
    expect(created).toEqual({
      id: expect.stringMatching(/^msgbatch_[0-9a-f]{32}$/) as string,
      type: 'message_batch',
      processing_status: 'in_progress',
      request_counts: { ...COUNTS, processing: 3 },
      created_at: expect.any(String) as string,
      expires_at: expect.any(String) as string,
      ended_at: null,
      cancel_initiated_at: null,
      archived_at: null,
      results_url: null,
    });
    const ms = (field: string) => Date.parse(String(created[field]));
    expect(ms('expires_at') - ms('created_at')).toBe(24 * 60 * 60 * 1000);
    await problem(control.send('GET', `${PATH}/${created.id}/results`), 400, 'invalid_request_error');
    await problem(control.send('DELETE', `${PATH}/${created.id}`), 400, 'invalid_request_error');
    await run((id) =>
      id === 'a' ? { output: '{"big": 9007199254740993}' } : { error: '{"code":"c","message":"m"}' },
    );
    await settle();
    expect((await read(created.id)).request_counts).toEqual({ ...COUNTS, processing: 3 });
    await run(() => ({ output: '{}' }), 'other');
    await settle();
    const ended = await read(created.id);
    expect(ended).toMatchObject({
      processing_status: 'ended',
      request_counts: { ...COUNTS, succeeded: 2, errored: 1 },
      ended_at: expect.any(String) as string,
      results_url: `http://localhost${PATH}/${created.id}/results`,
    });
    expect(await results(created.id)).toEqual([
      '{"custom_id":"a","result":{"type":"succeeded","message":{"big": 9007199254740993}}}',
      '{"custom_id":"b","result":{"type":"errored","error":{"type":"error","error":{"type":"api_error","message":"m"},"request_id":null}}}',
      '{"custom_id":"c","result":{"type":"succeeded","message":{}}}',
    ]);
    await problem(control.send('POST', `${PATH}/${created.id}/cancel`), 400, 'invalid_request_error');
  });

  it('A4: hands params over byte for byte, however the body is written', async () => {
    const params = '{ "model" : "m",\n"x":[1.0, 9007199254740993, "caf\\u00e9 é\u2028"], "x": -0 }';
    await json(post(`\ufeff {"requests"\n: [ ${request('a', ` ${params} `)}\n ] }\n`));
    const [task] = await lease();
    expect(task?.items).toMatchObject([{ itemId: 'a', payload: params }]);
  });

  it('A4: keeps finished requests when it is canceled, which can be repeated', async () => {
    const { id } = await create(request('a'), request('b', '{"model":"other"}'));
    await run(() => ({ output: '{}' }));
    expect(await cancel(id)).toMatchObject({
      processing_status: 'canceling',
      cancel_initiated_at: expect.any(String) as string,
      request_counts: { ...COUNTS, processing: 2 },
    });
    expect(await cancel(id)).toMatchObject({ processing_status: 'canceling' });
    await settle();
    expect(await cancel(id)).toMatchObject({
      processing_status: 'ended',
      request_counts: { ...COUNTS, succeeded: 1, canceled: 1 },
    });
    expect(await results(id)).toEqual([
      '{"custom_id":"a","result":{"type":"succeeded","message":{}}}',
      '{"custom_id":"b","result":{"type":"canceled"}}',
    ]);
  });

  it('A4: ends with the rest as expired when its 24 hours are over', async () => {
    const { id } = await create(request('a'), request('b', '{"model":"other"}'));
    await run(() => ({ output: '{}' }));
    await control.db.sql`update batches set expires_at = now()`;
    await settle();
    expect(await read(id)).toMatchObject({
      processing_status: 'ended',
      request_counts: { ...COUNTS, succeeded: 1, expired: 1 },
      cancel_initiated_at: null,
    });
    expect((await results(id))[1]).toBe('{"custom_id":"b","result":{"type":"expired"}}');
  });

  it('A4: is archived when its results expire', async () => {
    const { id } = await create(request('a'));
    await run(() => ({ output: '{}' }));
    await settle();
    expect(await read(id)).toMatchObject({ archived_at: null, results_url: expect.any(String) as string });
    await control.db.sql`update batches set finalizing_at = now() - interval '30 days'`;
    await control.db.sql`update files set expires_at = now()`;
    expect(await read(id)).toMatchObject({ archived_at: expect.any(String) as string, results_url: null });
    await problem(control.send('GET', `${PATH}/${id}/results`), 404, 'not_found_error');
  });

  it('A4: is deleted with its results, and its job is not readable any more', async () => {
    const { id } = await create(request('a'));
    await run(() => ({ output: '{}' }));
    await settle();
    expect(await json(control.send('DELETE', `${PATH}/${id}`))).toEqual({
      id,
      type: 'message_batch_deleted',
    });
    await problem(control.send('GET', `${PATH}/${id}`), 404, 'not_found_error');
    expect(await rowCounts(control.db.sql)).toMatchObject({ files: 0, file_chunks: 0, batches: 0 });
    expect(await json(control.send('GET', '/v1/jobs'))).toMatchObject({ jobs: [] });
  });

  it('A4: keeps nothing but its jobs: the body is not stored twice', async () => {
    await create(request('a'));
    expect(await rowCounts(control.db.sql)).toMatchObject({ files: 0, file_chunks: 0, jobs: 1, items: 1 });
  });

  it('A4: is created once for one idempotency key', async () => {
    const key = { 'idempotency-key': 'once' };
    const first = await json<Batch>(post(body(request('a')), key));
    expect(await json<Batch>(post(body(request('a')), key))).toEqual(first);
    expect(await problem(post(body(request('b')), key), 409, 'conflict_error')).toContain(first.id);
    const twice = { 'idempotency-key': 'raced' };
    const raced = await Promise.all([1, 2, 3].map(() => json<Batch>(post(body(request('a')), twice))));
    expect(new Set(raced.map(({ id }) => id)).size).toBe(1);
    expect(await rowCounts(control.db.sql)).toMatchObject({ batches: 2, jobs: 2, files: 0 });
  });

  it('A4: is listed by pages in both directions, apart from batches of OpenAI', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) ids.unshift((await create(request('a'))).id);
    const page = async (query: string) => {
      const list = await json<{ data: Batch[]; has_more: boolean; first_id: string; last_id: string }>(
        control.send('GET', `${PATH}?${query}`),
      );
      expect(new Set(Object.keys(list))).toEqual(new Set(['data', 'has_more', 'first_id', 'last_id']));
      expect([list.first_id, list.last_id]).toEqual([list.data[0]?.id ?? null, list.data.at(-1)?.id ?? null]);
      return [list.data.map(({ id }) => ids.indexOf(id)), list.has_more];
    };
    expect(await page('beta=true')).toEqual([[0, 1, 2, 3], false]);
    expect(await page('limit=3')).toEqual([[0, 1, 2], true]);
    expect(await page(`limit=3&after_id=${ids[2]}`)).toEqual([[3], false]);
    expect(await page(`limit=2&before_id=${ids[3]}`)).toEqual([[1, 2], true]);
    expect(await page(`limit=2&before_id=${ids[1]}`)).toEqual([[0], false]);
    expect(await page(`before_id=${ids[0]}`)).toEqual([[], false]);
    expect(await json(control.send('GET', '/v1/batches?after=zzz'))).toMatchObject({ data: [] });
    for (const query of ['limit=0', 'limit=1001', 'after_id=x', `after_id=${ids[0]}&before_id=${ids[0]}`])
      await problem(control.send('GET', `${PATH}?${query}`), 400, 'invalid_request_error');
  });

  it.each<[string, string | Uint8Array, string]>([
    ['no JSON', 'x', 'is not a JSON object'],
    ['an empty body', '', 'is empty'],
    ['a body that is cut off', body(request('a')).slice(0, -1), 'is cut off'],
    ['UTF-16', Buffer.from(body(request('a')), 'utf16le'), 'UTF-16'],
    ['bytes that are not UTF-8', Buffer.from(body(request('é')), 'latin1'), 'not UTF-8'],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), 'not UTF-8'],
    ['no requests', '{"requests":[]}', 'requests: must have at least one request'],
    ['another member', '{"requests":[],"model":"m"}', 'has the unknown member model'],
    ['a request that is no object', body('1'), 'requests.0: must be a JSON object'],
    ['a request that is not JSON', body(request('a'), '{"custom_id":'), 'a bracket too many'],
    ['a value that is not JSON', body(request('a'), '{"custom_id":x}'), 'requests.1: is not JSON'],
    ['no custom_id', body('{"params":{"model":"m"}}'), 'requests.0.custom_id: is missing'],
    ['an empty custom_id', body(request('')), 'requests.0.custom_id: must be 1 to 64'],
    ['a custom_id with a space', body(request('a b')), 'requests.0.custom_id: must be 1 to 64'],
    ['a custom_id of 65 characters', body(request('a'.repeat(65))), 'requests.0.custom_id: must be 1 to 64'],
    [
      'a custom_id twice',
      body(request('a'), request('b'), request('a')),
      'requests.2.custom_id: must be unique, but requests.0',
    ],
    [
      'a member of a request twice',
      body('{"custom_id":"a","custom_id":"b","params":{}}'),
      'requests.0.custom_id: is given twice',
    ],
    [
      'an unknown member of a request',
      body('{"custom_id":"a","params":{},"body":{}}'),
      'requests.0.body: is not a member',
    ],
    ['no params', body('{"custom_id":"a"}'), 'requests.0.params: is missing'],
    ['params that are no object', body(request('a', '[]')), 'requests.0.params: must be a JSON object'],
    ['no model', body(request('a', '{}')), 'requests.0.params.model: is missing'],
    [
      'a model that is no text',
      body(request('a', '{"model":1}')),
      'requests.0.params.model: must be a string',
    ],
    [
      'stream: true',
      body(request('a', '{"model":"m","stream":true}')),
      'requests.0.params.stream: must be false',
    ],
    [
      'too many requests',
      body(...'abcdef'.split('').map((id) => request(id))),
      'requests: must have at most 5',
    ],
    [
      'a request over the limit',
      body(request('a', `{"model":"m","x":"${'x'.repeat(50_000)}"}`)),
      'an element of requests',
    ],
  ])('A4: refuses %s and stores nothing', async (_what, text, message) => {
    const before = await rowCounts(control.db.sql);
    expect(await problem(post(text), 400, 'invalid_request_error')).toContain(message);
    expect(await rowCounts(control.db.sql)).toEqual(before);
  });

  it('A4: refuses more bytes than the limit, and another kind of body', async () => {
    const large = body(request('a'), ' '.repeat(100_000));
    expect(await problem(post(large), 413, 'request_too_large')).toContain('100000 bytes');
    await problem(post(body(), { 'content-type': 'text/plain' }), 415, 'invalid_request_error');
    await problem(control.send('PUT', PATH), 405, 'invalid_request_error');
    await problem(control.send('GET', '/v1/messages/x'), 404, 'not_found_error');
    expect(await rowCounts(control.db.sql)).toMatchObject({ files: 0, batches: 0 });
  });

  it.each(['/v1/messages', '/v1/messages/count_tokens'])(
    'A4: is named by the error of a direct call of %s',
    async (path) => {
      expect(await problem(control.send('POST', path, {}), 400, 'invalid_request_error')).toContain(PATH);
    },
  );

  it('A4: belongs to the group of its key, and counts towards the quota of the group', async () => {
    const key = async (role: 'submit' | 'worker', group: string) => keyFor(control.db.store, role, { group });
    const [red, blue, worker] = [
      await key('submit', 'red'),
      await key('submit', 'blue'),
      await key('worker', 'w'),
    ];
    now += 10_000; // the control plane looks for keys again
    const { id } = await json<Batch>(
      post(body(request('a')), { 'x-api-key': red, 'anthropic-version': '2023-06-01' }),
    );
    const as = (headers: Record<string, string>, path = `/${id}`, method = 'GET') =>
      control.send(method, PATH + path, undefined, headers);
    expect(await json(as({ authorization: `Bearer ${red}` }))).toMatchObject({ id });
    // Some programs send a token of another service beside the key.
    expect(await json(as({ 'x-api-key': red, authorization: 'Bearer other' }))).toMatchObject({ id });
    expect(await json(as({ 'x-api-key': blue }, ''))).toMatchObject({ data: [] });
    for (const [path, method] of [
      ['', 'GET'],
      ['/results', 'GET'],
      ['/cancel', 'POST'],
      ['', 'DELETE'],
    ] as const)
      await problem(as({ 'x-api-key': blue }, `/${id}${path}`, method), 404, 'not_found_error');
    await problem(as({}), 401, 'authentication_error');
    await problem(as({ 'x-api-key': 'sk-ant-wrong' }), 401, 'authentication_error');
    await problem(as({ 'x-api-key': worker }), 403, 'permission_error');
    const three = body(request('a'), request('b'), request('c'));
    expect(await problem(post(three, { 'x-api-key': red }), 429, 'rate_limit_error')).toContain('3 items');
    expect(await rowCounts(control.db.sql)).toMatchObject({ files: 0, batches: 1, jobs: 1 });
  });
});
