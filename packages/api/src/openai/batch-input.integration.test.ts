import { afterAll, describe, expect, it } from 'vitest';
import { batchApp, requestLine, requestLines } from '../testing/batch-app.ts';
import { openAiProblem, uploaded } from '../testing/openai-files.ts';

const { control, ...openai } = batchApp({ maxRequests: 200 });
const { create, createFrom, json, read, run, settle } = openai;

afterAll(() => {
  expect(control.errors).toEqual([]);
  expect(openai.failures).toEqual([]);
});

describe('the input file', () => {
  const line = requestLine;
  const whole = (members: string) => `{${members}}`;
  const rest = '"method":"POST","url":"/v1/chat/completions"';
  const bad: readonly (readonly [string, string, string, string | null])[] = [
    ['a line that is not JSON', '{"custom_id":', 'invalid_json_line', null],
    ['a line that is no object', '["r"]', 'invalid_json_line', null],
    ['no custom_id', whole(`${rest},"body":{"model":"m"}`), 'invalid_request', 'custom_id'],
    [
      'a number as custom_id',
      whole(`"custom_id":1,${rest},"body":{"model":"m"}`),
      'invalid_request',
      'custom_id',
    ],
    ['an empty custom_id', line(''), 'invalid_request', 'custom_id'],
    ['a too long custom_id', line('x'.repeat(513)), 'invalid_request', 'custom_id'],
    ['a NUL in custom_id', line('a\u0000'), 'invalid_request', 'custom_id'],
    [
      'a repeated member',
      whole(`"custom_id":"a","custom_id":"b",${rest},"body":{"model":"m"}`),
      'invalid_request',
      'custom_id',
    ],
    ['a repeated custom_id', line('ok'), 'duplicate_custom_id', 'custom_id'],
    [
      'no method',
      whole('"custom_id":"a","url":"/v1/chat/completions","body":{"model":"m"}'),
      'invalid_request',
      'method',
    ],
    ['another method', line('a').replace('POST', 'GET'), 'invalid_request', 'method'],
    ['no url', whole('"custom_id":"a","method":"POST","body":{"model":"m"}'), 'invalid_request', 'url'],
    ['an odd url', line('a').replace('"/v1/chat/completions"', '7'), 'invalid_request', 'url'],
    ['another url', line('a', {}, '/v1/embeddings'), 'url_mismatch', 'url'],
    ['a url with a host', line('a', {}, 'https://api.openai.com/v1/chat/completions'), 'url_mismatch', 'url'],
    ['no body', whole(`"custom_id":"a",${rest}`), 'invalid_request', 'body'],
    ['a body that is text', line('a', '"x"'), 'invalid_request', 'body'],
    ['a body without model', line('a', '{}'), 'invalid_request', 'body.model'],
    ['an empty model', line('a', '{"model":""}'), 'invalid_request', 'body.model'],
    ['a number as model', line('a', '{"model":1}'), 'invalid_request', 'body.model'],
    ['a model with a NUL', line('a', '{"model":"a\\u0000"}'), 'invalid_request', 'body.model'],
    ['two models in one body', line('a', '{"model":"m","model":"m2"}'), 'invalid_request', 'body.model'],
    ['another model', line('a', { model: 'other' }), 'model_mismatch', 'body.model'],
    ['a stream', line('a', { stream: true }), 'invalid_request', 'body.stream'],
    ['no choices', line('a', { n: 0 }), 'invalid_request', 'body.n'],
  ];

  it('A4: ends the batch as failed with every error, its line and its member', async () => {
    const text = [line('ok'), '', ...bad.map(([, each]) => each), line('ok2')].join('\n');
    const { id } = await create(text);
    await settle();
    const batch = await read(id);
    expect(batch).toMatchObject({
      status: 'failed',
      failed_at: expect.any(Number),
      in_progress_at: null,
      output_file_id: null,
      error_file_id: null,
      request_counts: { total: 0, completed: 0, failed: 0 },
      errors: { object: 'list' },
    });
    expect(batch.errors?.data.map(({ code, param, line: at }) => [code, param, at])).toEqual(
      bad.map(([, , code, param], n) => [code, param, n + 3]),
    );
    for (const { message } of batch.errors?.data ?? []) expect(message).toMatch(/\.$/);
    expect(await control.db.sql`select from jobs`).toHaveLength(0);
    expect(await control.db.sql`select from items`).toHaveLength(0);
  });

  it('A4: names one bad line behind 899,999 others', async () => {
    // Blank lines are counted, and fast to read.
    const { id } = await create(`${requestLines(1)}${'\n'.repeat(899_999)}x`);
    await settle();
    const { status, errors } = await read(id);
    expect(status).toBe('failed');
    expect(errors?.data).toMatchObject([{ code: 'invalid_json_line', line: 900_000 }]);
  });

  it('A4: lists the first hundred errors', async () => {
    const { id } = await create('x\n'.repeat(150));
    await settle();
    const { errors } = await read(id);
    expect(errors?.data).toHaveLength(100);
    expect(errors?.data.at(-1)).toMatchObject({ line: 100 });
  });

  it.each([
    ['more requests than the limit', requestLines(201), { code: 'too_many_tasks', line: null }],
    ['one bad line at its end', `${requestLines(199)}\n{`, { code: 'invalid_json_line', line: 200 }],
    ['only lines of spaces that UTF-8 has', '\u00a0\n\u2003\n', { code: 'empty_file', line: null }],
  ])('A4: fails a batch with %s', async (_what, text, error) => {
    const { id } = await create(text);
    await settle();
    const batch = await read(id);
    expect(batch).toMatchObject({ status: 'failed', errors: { data: [error] } });
  });

  it('A4: fails a batch whose file has expired before it was read', async () => {
    const { id } = await create(requestLines(1));
    await control.db.sql`update files set expires_at = now()`;
    await settle();
    expect(await read(id)).toMatchObject({
      status: 'failed',
      errors: { data: [{ code: 'file_not_found' }] },
    });
  });
});

describe('POST /v1/batches', () => {
  it.each<[string, object, number, string]>([
    ['an unknown file', { input_file_id: `file-${'0'.repeat(32)}` }, 404, 'input_file_id'],
    ['an id that is none', { input_file_id: '\u0000' }, 404, 'input_file_id'],
    ['no file', { input_file_id: undefined }, 400, 'input_file_id'],
    ['an unknown endpoint', { endpoint: '/v1/audio/transcriptions' }, 400, 'endpoint'],
    ['another completion window', { completion_window: '1h' }, 400, 'completion_window'],
    [
      'too much metadata',
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [n, ''])) },
      400,
      'metadata',
    ],
    ['a too long key of metadata', { metadata: { ['k'.repeat(65)]: '' } }, 400, `metadata.${'k'.repeat(65)}`],
    ['a too long value of metadata', { metadata: { k: 'v'.repeat(513) } }, 400, 'metadata.k'],
    ['metadata that is no text', { metadata: { k: 1 } }, 400, 'metadata.k'],
    [
      'a too short expiry of the output',
      { output_expires_after: { anchor: 'created_at', seconds: 3599 } },
      400,
      'output_expires_after.seconds',
    ],
    [
      'a too long expiry of the output',
      { output_expires_after: { anchor: 'created_at', seconds: 2_592_001 } },
      400,
      'output_expires_after.seconds',
    ],
    [
      'another anchor',
      { output_expires_after: { anchor: 'x', seconds: 3600 } },
      400,
      'output_expires_after.anchor',
    ],
    ['an unknown field', { priority: 1 }, 400, 'priority'],
  ])('A4: refuses %s', async (_what, extra, status, param) => {
    const file = await uploaded(control, requestLines(1));
    const problem = await openAiProblem(await createFrom(file, extra), status);
    expect(problem).toMatchObject({ param, type: 'invalid_request_error' });
    expect(await control.db.sql`select from batches`).toHaveLength(0);
  });

  it('A4: takes metadata at its limits', async () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 16 }, (_, n) => [`${n}`.padStart(64, 'k'), 'v'.repeat(512)]),
    );
    expect(await create(requestLines(1), { metadata })).toMatchObject({ metadata });
  });

  it('A4: refuses an output file as the input of a batch', async () => {
    const { id } = await create(requestLines(1));
    await settle();
    await run(() => ({ output: '{}' }));
    await settle();
    const output = (await read(id)).output_file_id;
    const problem = await openAiProblem(await createFrom(output ?? ''), 400);
    expect(problem).toMatchObject({ param: 'input_file_id' });
  });

  it('A4: creates one batch for one idempotency key', async () => {
    const file = await uploaded(control, requestLines(1));
    const key = { 'idempotency-key': 'k' };
    const extra = { metadata: { a: '1', b: '2' } };
    const replies = await Promise.all(
      [extra, { metadata: { b: '2', a: '1' } }, extra].map((each) =>
        json<{ id: string }>(createFrom(file, each, key)),
      ),
    );
    expect(new Set(replies.map(({ id }) => id)).size).toBe(1);
    const problem = await openAiProblem(await createFrom(file, {}, key), 409);
    expect(problem).toMatchObject({ code: 'idempotency_key_reused' });
    await settle();
    await control.send('DELETE', `/v1/files/${file}`);
    expect(await json(createFrom(file, extra, key))).toMatchObject({
      id: replies[0]?.id,
      status: 'in_progress',
    });
    await openAiProblem(await createFrom(file, extra, { 'idempotency-key': '' }), 400);
  });
});
