import { afterAll, describe, expect, it } from 'vitest';
import { completed, fileApp, JOB, NDJSON } from '../testing/file-app.ts';

const control = fileApp({ limits: { maxJsonBytes: 6_000_000, maxLineBytes: 5_600_000 } });
const { send, refused } = control;

const submit = (body: unknown) => send('POST', '/v1/jobs', body);
const ndjson = (body: string | Uint8Array) => send('POST', '/v1/jobs', body, NDJSON);
const withItems = (items: unknown) => ({ ...JOB, items });
const item = (id: unknown) => withItems([{ id, payload: 1 }]);
const servedJob = (params: unknown) => ({ ...item('a'), job_type: 'chat', params });
const rawJob = (payload: unknown, params: unknown = { endpoint: '/v1/embeddings' }) => ({
  job_type: 'request',
  model: 'm',
  params,
  items: [{ id: 'a', payload }],
});
const HEADER = JSON.stringify(JOB);

afterAll(async () => {
  expect(control.errors).toEqual([]);
});

describe('A3: refuses a JSON submission whole', () => {
  it.each<[string, unknown, string, string | undefined]>([
    ['is not JSON', '{"job_type":', 'invalid_json', undefined],
    ['is empty', '', 'invalid_json', undefined],
    ['is an array', [JOB], 'invalid_json', undefined],
    ['is a string', '"job"', 'invalid_json', undefined],
    ['is null', 'null', 'invalid_json', undefined],
    ['has an unknown job type', { ...item('a'), job_type: 'paint' }, 'invalid_field', 'job_type'],
    ['has no job type', { model: 'm', items: [] }, 'invalid_field', 'job_type'],
    ['has no model', { job_type: 'noop', items: [] }, 'invalid_field', 'model'],
    ['has a model with U+0000', { ...item('a'), model: 'a\u0000' }, 'invalid_field', 'model'],
    ['has a model with a lone surrogate', { ...item('a'), model: 'a\ud800' }, 'invalid_field', 'model'],
    ['has an empty item list', withItems([]), 'no_items', 'items'],
    ['has no item list', JOB, 'invalid_field', 'items'],
    ['has items that are an object', withItems({}), 'invalid_field', 'items'],
    ['has an item that is a number', withItems([{ id: 'a', payload: 1 }, 7]), 'invalid_item', 'items[1]'],
    ['has an item without an id', withItems([{ payload: 1 }]), 'invalid_item', 'items[0].id'],
    ['has an item without a payload', withItems([{ id: 'a' }]), 'invalid_item', 'items[0].payload'],
    [
      'has an item with another member',
      withItems([{ id: 'a', payload: 1, x: 1 }]),
      'invalid_item',
      'items[0].x',
    ],
    ['has an id that is a number', item(7), 'invalid_item', 'items[0].id'],
    ['has an empty id', item(''), 'invalid_item', 'items[0].id'],
    ['has an id of 10,000 characters', item('x'.repeat(10_000)), 'invalid_item', 'items[0].id'],
    ['has an id with U+0000', item('a\u0000b'), 'invalid_item', 'items[0].id'],
    ['has an id with a lone surrogate', item('a\ud800b'), 'invalid_item', 'items[0].id'],
    ['has shard_size 0', { ...item('a'), shard_size: 0 }, 'invalid_field', 'shard_size'],
    ['has shard_size -1', { ...item('a'), shard_size: -1 }, 'invalid_field', 'shard_size'],
    ['has shard_size 1e9', { ...item('a'), shard_size: 1e9 }, 'invalid_field', 'shard_size'],
    ['has shard_size 1.5', { ...item('a'), shard_size: 1.5 }, 'invalid_field', 'shard_size'],
    ['has shard_size "ten"', { ...item('a'), shard_size: 'ten' }, 'invalid_field', 'shard_size'],
    ['has a field that is not known', { ...item('a'), shards: 3 }, 'invalid_field', 'shards'],
    ['classifies without labels', { ...item('a'), job_type: 'classify' }, 'invalid_field', 'params.labels'],
    [
      'embeds with an unknown param',
      { ...item('a'), job_type: 'embed', params: { dimension: 8 } },
      'invalid_field',
      'params.dimension',
    ],
    [
      'has a template without a placeholder',
      servedJob({ template: '{text}' }),
      'invalid_field',
      'params.template',
    ],
    ['asks for a stream', servedJob({ stream: true }), 'invalid_field', 'params.stream'],
    ['asks for two answers', servedJob({ n: 2 }), 'invalid_field', 'params.n'],
    ['names a model in its params', servedJob({ model: 'm' }), 'invalid_field', 'params.model'],
    ['has raw requests without an endpoint', rawJob({}, {}), 'invalid_field', 'params.endpoint'],
    ['has raw requests to any path', rawJob({}, { endpoint: '/v1/x' }), 'invalid_field', 'params.endpoint'],
    ['has a raw request that is a text', rawJob('Hi'), 'invalid_item', 'items[0].payload'],
    ['has a raw request for a stream', rawJob({ stream: true }), 'invalid_item', 'items[0].payload.stream'],
    ['has a raw request for no choice', rawJob({ n: 0 }), 'invalid_item', 'items[0].payload.n'],
    ['has params that are an array', { ...item('a'), params: [] }, 'invalid_field', 'params'],
    [
      'has a member twice',
      '{"job_type":"noop","model":"a","model":"b","items":[{"id":"a","payload":1}]}',
      'invalid_field',
      'model',
    ],
    [
      'has an item id member twice',
      '{"job_type":"noop","model":"a","items":[{"id":"a","id":"b","payload":1}]}',
      'invalid_item',
      'items[0].id',
    ],
  ])('when it %s', async (_what, body, code, field) => {
    expect(await refused(() => submit(body))).toMatchObject({ code, status: 400, ...(field && { field }) });
  });

  it('and names both positions of a repeated id', async () => {
    const body = withItems(['a', 'b', 'c', 'b'].map((id) => ({ id, payload: 1 })));
    const problem = await refused(() => submit(body));
    expect(problem).toMatchObject({ code: 'duplicate_item_id', item_id: 'b', field: 'items[3]' });
    expect(problem.detail).toContain('items[1] and items[3]');
  });

  it('when it is not UTF-8, too large, or of an unsupported type', async () => {
    expect(await refused(() => submit(new Uint8Array([0x7b, 0xff, 0x7d])))).toMatchObject({
      code: 'invalid_encoding',
    });
    const large = withItems([{ id: 'a', payload: 'x'.repeat(6_000_001) }]);
    expect(await refused(() => submit(large))).toMatchObject({ code: 'body_too_large', status: 413 });
    expect(
      await refused(() => send('POST', '/v1/jobs', 'a', { 'content-type': 'text/plain' })),
    ).toMatchObject({
      code: 'unsupported_media_type',
      status: 415,
    });
  });

  it('when its idempotency key is too long or belongs to another body', async () => {
    const keyed = (key: string, body: unknown) => send('POST', '/v1/jobs', body, { 'idempotency-key': key });
    expect(await refused(() => keyed('k'.repeat(201), item('a')))).toMatchObject({ code: 'invalid_field' });
    const first = await keyed('k', item('a'));
    const again = await keyed('k', item('a'));
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(await again.json()).toMatchObject({ id: ((await first.json()) as { id: string }).id });
    expect(await refused(() => keyed('k', item('b')))).toMatchObject({
      code: 'idempotency_key_reused',
      status: 409,
    });
  });
});

describe('A3: refuses an NDJSON submission whole and names the line', () => {
  const good = (id: string) => `{"id":"${id}","payload":1}`;
  it.each<[string, string | Uint8Array, string, number | undefined]>([
    ['is empty', '', 'no_items', undefined],
    ['has only its header', `${HEADER}\n\n\n`, 'no_items', undefined],
    ['has a header that is not JSON', '{job', 'invalid_json', 1],
    ['has a header that is an array', '\n[1]\n', 'invalid_json', 2],
    [
      'has a header with a wrong field',
      '{"job_type":"noop","model":"m","shard_size":0}\n',
      'invalid_field',
      1,
    ],
    ['has a header member twice', '{"job_type":"noop","job_type":"noop","model":"m"}\n', 'invalid_field', 1],
    ['has its header twice', `${HEADER}\n${HEADER}\n`, 'invalid_item', 2],
    ['has a bad line after blank ones', `${HEADER}\n\n  \n\r\n${good('a')}\n\nnot json\n`, 'invalid_item', 7],
    ['has a bad line after CRLF ones', `${HEADER}\r\n${good('a')}\r\n${good('')}\r\n`, 'invalid_item', 3],
    ['ends in the middle of a line', `${HEADER}\n${good('a')}\n{"id":"b","payl`, 'invalid_item', 3],
    ['has a member twice', `${HEADER}\n{"id":"a","payload":1,"payload":2}\n`, 'invalid_item', 2],
    [
      'has a raw request for a stream',
      '{"job_type":"request","model":"m","params":{"endpoint":"/v1/completions"}}\n{"id":"a","payload":{"stream":true}}\n',
      'invalid_item',
      2,
    ],
    [
      'has a line too long',
      `${HEADER}\n${good('a')}\n{"id":"b","payload":"${'x'.repeat(5_600_000)}"}\n`,
      'line_too_long',
      3,
    ],
    [
      'has a line that is not UTF-8',
      Buffer.concat([
        Buffer.from(`${HEADER}\n\n${good('a')}\n`),
        Buffer.from([0x22, 0xc3, 0x28, 0x22, 0x0a]),
      ]),
      'invalid_encoding',
      4,
    ],
  ])('when it %s', async (_what, body, code, line) => {
    expect(await refused(() => ndjson(body))).toMatchObject({ code, ...(line !== undefined && { line }) });
  });

  it('and names both lines of a repeated id, counting blank lines', async () => {
    const problem = await refused(() =>
      ndjson(`\n${HEADER}\n${good('a')}\n\n\n${good('b')}\n\n${good('a')}\n`),
    );
    expect(problem).toMatchObject({ code: 'duplicate_item_id', item_id: 'a', line: 8 });
    expect(problem.detail).toContain('line 3 and line 8');
  });
});

describe('A3: answers a wrong path or method with problem details', () => {
  it.each([
    ['GET', '/v1/nothing', 404, 'route_not_found', null],
    ['GET', '/', 404, 'route_not_found', null],
    ['GET', '/v1/jobs/', 404, 'route_not_found', null],
    ['DELETE', '/v1/jobs', 405, 'method_not_allowed', 'POST, GET'],
    ['PUT', '/v1/jobs/x', 405, 'method_not_allowed', 'GET'],
    ['GET', '/v1/tasks/lease', 405, 'method_not_allowed', 'POST'],
    ['OPTIONS', '/v1/workers', 405, 'method_not_allowed', 'GET'],
    ['POST', '/healthz', 405, 'method_not_allowed', 'GET'],
    ['POST', '/openapi.json', 405, 'method_not_allowed', 'GET'],
    ['GET', '/v1/jobs/not-an-id', 400, 'invalid_field', null],
    ['GET', '/v1/jobs/%00', 400, 'invalid_field', null],
    ['GET', '/v1/jobs/%ff%fe', 400, 'invalid_field', null],
    ['GET', '/v1/jobs?limit=0', 400, 'invalid_field', null],
    ['GET', '/v1/jobs?limit=many', 400, 'invalid_field', null],
    ['GET', '/v1/jobs?before=yesterday', 400, 'invalid_field', null],
    ['GET', '/v1/jobs/00000000-0000-7000-8000-000000000000', 404, 'not_found', null],
    ['GET', '/v1/jobs/00000000-0000-7000-8000-000000000000/results', 404, 'not_found', null],
    ['POST', '/v1/jobs/00000000-0000-7000-8000-000000000000/cancel', 404, 'not_found', null],
  ])('%s %s gives %i %s', async (method, path, status, code, allow) => {
    const problem = await refused(async () => {
      const response = await send(method, path);
      expect(response.headers.get('allow')).toBe(allow);
      return response;
    });
    expect(problem).toMatchObject({ status, code });
  });

  it('answers an impossible item id without a server error', async () => {
    const [task] = await control.leased(['a']);
    for (const id of ['%00', 'a%00b', 'x'.repeat(5000), '']) {
      const response = await send('GET', `/v1/jobs/${task?.job_id}/results?item_id=${id}`);
      expect(response.status).toBeLessThan(500);
      await response.text();
    }
  });
});

it('A3: the control plane still works after all of these', async () => {
  const [task] = await control.leased(['a']);
  if (task === undefined) throw new Error('nothing to lease');
  expect(await control.report([completed(task)])).toMatchObject([
    { outcome: 'accepted', task_status: 'done' },
  ]);
});
