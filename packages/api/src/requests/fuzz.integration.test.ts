import { rowCounts } from '@macbatch/store/testing';
import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { isAnthropicPath } from '../anthropic/anthropic-paths.ts';
import { isOpenAiPath } from '../openai/openai-paths.ts';
import { fileApp, JOB, LEASE, NDJSON } from '../testing/file-app.ts';
import { batchFile, FORM, multipart } from '../testing/openai-files.ts';

const control = fileApp();

const ID = '00000000-0000-7000-8000-000000000000';
const ADVERT = {
  worker_id: 'ann',
  boot_id: 'b',
  hostname: 'h',
  job_types: ['noop'],
  models: ['m'],
  concurrency: 1,
  lease_limit: 1,
};
/** A valid body for each route that takes one. */
const BODIES: readonly (readonly [path: string, body: unknown])[] = [
  [
    '/v1/jobs',
    {
      ...JOB,
      params: { a: [1] },
      shard_size: 2,
      items: [
        { id: 'a', payload: { x: 1 } },
        { id: 'b', payload: null },
      ],
    },
  ],
  ['/v1/tasks/lease', LEASE],
  [
    '/v1/tasks/complete_batch',
    {
      worker_id: 'ann',
      entries: [{ task_id: '1', attempt: 1, outcomes: [{ item_id: 'a', output: '1' }], final: true }],
    },
  ],
  ['/v1/tasks/release', { worker_id: 'ann', tasks: [{ task_id: '1', attempt: 1 }] }],
  ['/v1/workers/heartbeat', { ...ADVERT, renew: [{ task_id: '1', attempt: 1 }] }],
  [`/v1/jobs/${ID}/retry`, { items: true }],
  [
    '/v1/batches',
    {
      input_file_id: `file-${ID.replaceAll('-', '')}`,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
      metadata: { a: 'b' },
      output_expires_after: { anchor: 'created_at', seconds: 3600 },
    },
  ],
  [
    '/v1/messages/batches',
    { requests: [{ custom_id: 'a', params: { model: 'm', max_tokens: 1, messages: [] } }] },
  ],
];

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '\u0000',
    '\ud800',
    '9'.repeat(19),
    '-1',
    'NaN',
    'x'.repeat(3000),
    -1,
    0,
    1e9,
    1e308,
    2 ** 53,
    0.5,
  ),
  fc.constantFrom(null, true, [], {}, [[]], { __proto__: null }, { toString: 1 }),
);

/** A body with one part replaced, removed or repeated. */
function mutated(body: unknown): fc.Arbitrary<unknown> {
  return fc
    .tuple(fc.nat({ max: 40 }), fc.constantFrom('replace', 'remove', 'add'), odd, fc.string())
    .map(([place, how, value, name]) => {
      let left = place;
      const walk = (node: unknown): unknown => {
        left -= 1;
        if (left < 0 && how === 'replace') return value;
        if (typeof node !== 'object' || node === null) return node;
        if (left < 0 && how === 'add')
          return Array.isArray(node) ? [...node, value] : { ...node, [name]: value };
        if (left < 0)
          return Array.isArray(node) ? node.slice(1) : Object.fromEntries(Object.entries(node).slice(1));
        return Array.isArray(node)
          ? node.map((each) => (left < 0 ? each : walk(each)))
          : Object.fromEntries(
              Object.entries(node).map(([key, each]) => [key, left < 0 ? each : walk(each)]),
            );
      };
      return walk(body);
    });
}

const request = fc.constantFrom(...BODIES).chain(([path, body]) =>
  fc.record({
    path: fc.constant(path),
    body: fc.oneof({ weight: 4, arbitrary: mutated(body) }, { weight: 1, arbitrary: odd }),
  }),
);

let counted: Record<string, number> | undefined;
beforeEach(() => {
  counted = undefined;
});

async function holds(
  path: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<void> {
  const before = counted ?? (await rowCounts(control.db.sql));
  const response = await control.send('POST', path, body, headers);
  const text = await response.text();
  expect(response.status, text).toBeLessThan(500);
  counted = await rowCounts(control.db.sql);
  if (response.ok) return;
  expect(JSON.parse(text)).toMatchObject(
    isAnthropicPath(path)
      ? { type: 'error', error: { message: expect.any(String), type: expect.any(String) } }
      : isOpenAiPath(path)
        ? { error: { message: expect.any(String), type: expect.any(String) } }
        : { status: response.status, code: expect.any(String), detail: expect.any(String) },
  );
  expect(counted).toEqual(before);
}

it('A3: no JSON body causes a server error, and a refused body stores nothing', async () => {
  await fc.assert(
    fc.asyncProperty(request, ({ path, body }) => holds(path, JSON.stringify(body))),
    { numRuns: 300 },
  );
  expect(control.errors).toEqual([]);
});

it('A3: no text or bytes as a body cause a server error', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(...BODIES).chain(([, body]) => {
      const whole = JSON.stringify(body);
      return fc.nat({ max: whole.length }).map((cut) => whole.slice(0, cut));
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...BODIES), text, fc.boolean(), ([path], body, ndjson) =>
      holds(path, body, ndjson && path === '/v1/jobs' ? NDJSON : {}),
    ),
    { numRuns: 100 },
  );
  expect(control.errors).toEqual([]);
});

it.each([
  ['a payload', (deep: string) => `{"job_type":"noop","model":"m","items":[{"id":"a","payload":${deep}}]}`],
  [
    'params',
    (deep: string) =>
      `{"job_type":"noop","model":"m","params":{"a":${deep}},"items":[{"id":"a","payload":1}]}`,
  ],
  ['the body', (deep: string) => deep],
  [
    'a message',
    (deep: string) => `{"requests":[{"custom_id":"a","params":{"model":"m","messages":${deep}}}]}`,
    '/v1/messages/batches',
  ],
])(
  'A3: fifty thousand nested levels in %s cause no server error',
  async (_where, body, path = '/v1/jobs') => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    await holds(path, body(deep));
    const list = await control.send('GET', '/v1/jobs');
    expect(list.status).toBe(200);
    for (const { id } of ((await list.json()) as { jobs: { id: string }[] }).jobs) {
      expect((await control.send('GET', `/v1/jobs/${id}`)).status).toBe(200);
    }
  },
);

it('A4: no form causes a server error, and a refused form stores nothing', async () => {
  const whole = multipart([
    ...batchFile('{"custom_id":"é"}\n', 'é.jsonl'),
    { name: 'expires_after[anchor]', content: 'created_at' },
    { name: 'expires_after[seconds]', content: '3600' },
  ]);
  const cut = fc.nat({ max: whole.length }).map((end) => whole.subarray(0, end));
  const changed = fc
    .tuple(fc.nat({ max: whole.length - 1 }), fc.uint8Array({ maxLength: 3 }), fc.nat({ max: 8 }))
    .map(([at, bytes, removed]) =>
      Buffer.concat([whole.subarray(0, at), bytes, whole.subarray(at + removed)]),
    );
  const type = fc.oneof(
    { weight: 9, arbitrary: fc.constant(FORM['content-type']) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('multipart/form-data; boundary=', 'multipart/form-data; boundary="', 'x'),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(cut, changed, fc.uint8Array()), type, (body, contentType) =>
      holds('/v1/files', body, { 'content-type': contentType }),
    ),
    { numRuns: 150 },
  );
  expect(control.errors).toEqual([]);
});

it('A3: no query and no path cause a server error', async () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u0000', ID, '..', '0', 'x'.repeat(2000)),
  );
  await fc.assert(
    fc.asyncProperty(
      part,
      part,
      fc.constantFrom(
        '/v1/jobs?before=',
        '/v1/jobs?limit=',
        `/v1/jobs/${ID}/results?item_id=`,
        '/v1/jobs/',
        '/v1/files?after=',
        '/v1/files/',
        '/v1/batches?after=',
        '/v1/batches/',
        '/v1/messages/batches?after_id=',
        '/v1/messages/batches/',
        '/v1/',
      ),
      fc.constantFrom('GET', 'POST', 'DELETE', 'HEAD'),
      async (a, b, start, method) => {
        const encode = (text: string) => encodeURIComponent(text.toWellFormed());
        const response = await control.send(
          method,
          `${start}${encode(a)}${start.includes('?') ? '&status=' : '/'}${encode(b)}`,
        );
        expect(response.status).toBeLessThan(500);
        await response.text();
      },
    ),
    { numRuns: 100 },
  );
  expect(control.errors).toEqual([]);
});
