import { afterAll, describe, expect, it } from 'vitest';
import { batchApp, parsedLines, requestLine, requestLines } from '../testing/batch-app.ts';
import { openAiProblem, uploaded } from '../testing/openai-files.ts';

const { control, ...openai } = batchApp();
const { create, createFrom, json, lines, read, run, settle } = openai;

afterAll(() => {
  expect(control.errors).toEqual([]);
  expect(openai.failures).toEqual([]);
});

describe('a batch', () => {
  it('A4: goes from validating to completed, with the fields of OpenAI at each step', async () => {
    const metadata = { project: 'été', empty: '' };
    const created = await create(`\ufeff${requestLines(5)}\r\n\n`, {
      metadata,
      output_expires_after: { anchor: 'created_at', seconds: 3600 },
    });
    expect(created).toEqual({
      id: expect.stringMatching(/^batch_[0-9a-f]{32}$/),
      object: 'batch',
      endpoint: '/v1/chat/completions',
      model: null,
      errors: null,
      input_file_id: expect.stringMatching(/^file-/),
      completion_window: '24h',
      status: 'validating',
      output_file_id: null,
      error_file_id: null,
      created_at: expect.any(Number),
      in_progress_at: null,
      expires_at: Number(created['created_at']) + 24 * 60 * 60,
      finalizing_at: null,
      completed_at: null,
      failed_at: null,
      expired_at: null,
      cancelling_at: null,
      cancelled_at: null,
      request_counts: { total: 0, completed: 0, failed: 0 },
      usage: null,
      metadata,
    });
    expect(await read(created.id)).toEqual(created);

    await settle();
    // Lists of jobs show the name of the file.
    const get = (path: string) => control.send('GET', path);
    const { filename } = await json<{ filename: string }>(
      get(`/v1/files/${String(created['input_file_id'])}`),
    );
    const { jobs } = await json<{ jobs: { name: string | null }[] }>(get('/v1/jobs'));
    expect(jobs.map(({ name }) => name)).toEqual([filename]);
    const running = { ...created, status: 'in_progress', model: 'm', in_progress_at: expect.any(Number) };
    expect(await read(created.id)).toEqual({
      ...running,
      request_counts: { total: 5, completed: 0, failed: 0 },
    });
    await settle();
    expect((await read(created.id)).status).toBe('in_progress');

    const usage = {
      input_tokens: 10,
      output_tokens: 4,
      'prompt_tokens_details.cached_tokens': 3,
      'completion_tokens_details.reasoning_tokens': 2,
    };
    await run((id) =>
      id === 'r3'
        ? { error: '{"code":"too_long","message":"The prompt is too long."}' }
        : { output: `{"answer":"${id}"}`, usage },
    );
    const done = await read(created.id);
    expect(done).toMatchObject({
      status: 'in_progress',
      request_counts: { total: 5, completed: 4, failed: 1 },
      output_file_id: null,
      error_file_id: null,
    });

    await settle();
    const completed = await read(created.id);
    expect(completed).toEqual({
      ...running,
      status: 'completed',
      request_counts: { total: 5, completed: 4, failed: 1 },
      finalizing_at: expect.any(Number),
      completed_at: expect.any(Number),
      output_file_id: expect.stringMatching(/^file-/),
      error_file_id: expect.stringMatching(/^file-/),
      usage: {
        input_tokens: 40,
        input_tokens_details: { cached_tokens: 12 },
        output_tokens: 16,
        output_tokens_details: { reasoning_tokens: 8 },
        total_tokens: 56,
      },
    });
    const file = await json<Record<string, unknown>>(
      control.send('GET', `/v1/files/${completed.output_file_id}`),
    );
    expect(file).toMatchObject({ purpose: 'batch_output', filename: `${created.id}_output.jsonl` });
    expect(Number(file['expires_at']) - Number(file['created_at'])).toBe(3600);
    const output = parsedLines(await lines(completed.output_file_id));
    expect(output.map((line) => line.custom_id)).toEqual(['r0', 'r1', 'r2', 'r4']);
    expect(output[0]).toEqual({
      id: expect.stringMatching(/^batch_req_[0-9a-f]+$/),
      custom_id: 'r0',
      response: { status_code: 200, request_id: expect.stringMatching(/^req_/), body: { answer: 'r0' } },
      error: null,
    });
    expect(parsedLines(await lines(completed.error_file_id))).toEqual([
      {
        id: expect.stringMatching(/^batch_req_/),
        custom_id: 'r3',
        response: null,
        error: { code: 'too_long', message: 'The prompt is too long.' },
      },
    ]);
    expect(
      new Set([...output, ...parsedLines(await lines(completed.error_file_id))].map(({ id }) => id)).size,
    ).toBe(5);
  });

  it('A4: gives bodies and answers back byte for byte', async () => {
    const body =
      '{ "model":"m" , "b":9007199254740993, "a":[1.0,-0],"t":"\\u0000\\ud800\u2028", "a2":{"a":1,"a":2}}';
    const answer =
      '{"logprobs":{"x":9007199254740993},"choices":[1.0],"t":"\\u0000\u2029","usage":{"x":1e400}}';
    const { id } = await create(requestLine('é"\\ \u2028', body));
    await settle();
    const payloads: string[] = [];
    await run((_id, payload) => {
      payloads.push(payload);
      return { output: answer };
    });
    expect(payloads).toEqual([body]);
    await settle();
    const [line = ''] = await lines((await read(id)).output_file_id);
    expect(line).toContain(`"body":${answer}},"error":null}`);
    expect(line).toContain(`"custom_id":${JSON.stringify('é"\\ \u2028')}`);
  });

  it('A4: writes the answer of the model server to a refused request into the error file', async () => {
    const { id } = await create(requestLines(2));
    await settle();
    const body = '{"error":{"message":"n is too big","code":9007199254740993}}';
    await run((custom) => ({
      error: `{"code":"invalid_request","message":"m","response":{"status_code":${custom === 'r0' ? '400,"request_id":"req_of_server"' : '422'},"body":${body}}}`,
    }));
    await settle();
    const batch = await read(id);
    expect(batch).toMatchObject({
      status: 'completed',
      output_file_id: null,
      request_counts: { total: 2, completed: 0, failed: 2 },
    });
    const [first = '', second = ''] = await lines(batch.error_file_id);
    expect(first).toContain(
      `"response":{"status_code":400,"request_id":"req_of_server","body":${body}},"error":null}`,
    );
    expect(second).toMatch(/"response":\{"status_code":422,"request_id":"req_[0-9a-f]+","body":/);
  });

  it('A4: has no error file when every request succeeds', async () => {
    const { id } = await create(requestLines(2));
    await settle();
    await run(() => ({ output: '{}' }));
    await settle();
    expect(await read(id)).toMatchObject({ error_file_id: null, output_file_id: expect.any(String) });
  });

  it('A4: writes the requests of a failed task as errors', async () => {
    const { id } = await create(requestLines(3));
    await settle();
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const [task] = await openai.lease();
      await control.db.store.report('ann', [
        {
          taskId: task?.taskId ?? '',
          attempt,
          outcomes: [],
          final: false,
          error: '{"code":"crashed","message":"It broke."}',
        },
      ]);
    }
    expect((await read(id)).request_counts).toEqual({ total: 3, completed: 0, failed: 3 });
    await settle();
    const batch = await read(id);
    expect(batch).toMatchObject({
      status: 'completed',
      request_counts: { total: 3, completed: 0, failed: 3 },
    });
    const errors = parsedLines(await lines(batch.error_file_id));
    expect(errors.map(({ custom_id, error }) => [custom_id, error])).toEqual(
      ['r0', 'r1', 'r2'].map((custom) => [custom, { code: 'crashed', message: 'It broke.' }]),
    );
  });

  it('A4: is a job that the native interface lists, with the requests as items', async () => {
    await create(requestLines(2));
    await settle();
    const { jobs } = await json<{ jobs: { id: string }[] }>(control.send('GET', '/v1/jobs'));
    expect(jobs).toEqual([expect.objectContaining({ model: 'm', state: 'queued' })]);
    const job = await json<object>(control.send('GET', `/v1/jobs/${jobs[0]?.id}`));
    expect(job).toMatchObject({ params: { endpoint: '/v1/chat/completions' }, items: { total: 2 } });
  });

  it('A4: runs two batches of one file', async () => {
    const file = await uploaded(control, requestLines(1));
    const batches = await Promise.all([1, 2].map(async () => json<{ id: string }>(createFrom(file))));
    await settle();
    expect(await run(() => ({ output: '{}' }))).toBe(2);
    await settle();
    for (const { id } of batches) expect((await read(id)).status).toBe('completed');
  });
});

describe('DELETE /v1/files/{id}', () => {
  it('A4: refuses to delete a file that a batch has to read, and deletes it afterwards', async () => {
    const file = await uploaded(control, requestLines(1));
    const { id } = await json<{ id: string }>(createFrom(file));
    const problem = await openAiProblem(await control.send('DELETE', `/v1/files/${file}`), 409);
    expect(problem).toMatchObject({ code: 'file_in_use' });
    await settle();
    expect((await control.send('DELETE', `/v1/files/${file}`)).status).toBe(200);
    await run(() => ({ output: '{}' }));
    await settle();
    expect((await read(id)).status).toBe('completed');
  });
});
