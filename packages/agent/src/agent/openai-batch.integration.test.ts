import { until } from '@macbatch/testing';
import OpenAI, { toFile } from 'openai';
import { expect, it } from 'vitest';
import { batchPool } from '../testing/batch-pool.ts';

const CHAT = '/v1/chat/completions';
const ERROR =
  '{"error":{"message":"max_tokens is too large","type":"invalid_request_error","param":"max_tokens","code":null}}';

/** Bodies of requests as the documentation of three clients shows them. The model server receives these bytes. */
const BODIES = {
  // OpenAI's guide to batches
  openai:
    '{"model": "gpt-4o-mini", "messages": [{"role": "system", "content": "You are a helpful assistant."},{"role": "user", "content": "Hello world!"}],"max_tokens": 1000}',
  // LiteLLM passes on the fields that it does not know
  litellm:
    '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "caf\\u00e9"}], "metadata": {"model": "x", "tags": ["a"]}, "seed": 12345678901234567890, "extra_body": {"guided_json": {}}}',
  // ChatOpenAI of LangChain with a tool
  langchain:
    '{"messages": [{"content": "What is 2 * 3?", "role": "user"}], "model": "gpt-4o-mini", "temperature": 0.7, "n": 2, "tools": [{"type": "function", "function": {"name": "multiply", "description": "Multiply.", "parameters": {"properties": {"a": {"type": "integer"}}, "required": ["a"], "type": "object"}}}], "parallel_tool_calls": false, "stream": false}',
} as const;

const line = (id: string, body: string) =>
  `{"custom_id": "${id}", "method": "POST", "url": "${CHAT}", "body": ${body}}`;

/** Opens a pool whose worker runs requests on a server that answers with what it received. */
async function open() {
  const received: string[] = [];
  const { pool, fetch, startWorker } = await batchPool((body, _, reply) => {
    received.push(body);
    if (body.includes('"max_tokens":-1'))
      return reply.writeHead(400, { 'x-request-id': 'req_of_server' }).end(ERROR);
    if (body.includes('Hello world!')) reply.setHeader('x-request-id', 'req_of_success');
    return reply.end(answerTo(body));
  });
  const client = new OpenAI({
    apiKey: 'not needed',
    baseURL: 'http://control.test/v1',
    maxRetries: 0,
    fetch,
  });
  return { pool, client, received, startWorker: () => startWorker('gpt-4o-mini') };
}

const answerTo = (body: string) =>
  `{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[]},"logprobs":{"x":1.0},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7},"echo":${body},"big":9007199254740993}`;

async function uploadLines(client: OpenAI, lines: readonly string[]) {
  return client.files.create({
    file: await toFile(Buffer.from(lines.join('\n')), 'in.jsonl'),
    purpose: 'batch',
  });
}

async function createBatch(client: OpenAI, lines: readonly string[]) {
  const file = await uploadLines(client, lines);
  return client.batches.create({
    input_file_id: file.id,
    endpoint: CHAT,
    completion_window: '24h',
    metadata: { of: 'test' },
  });
}

const reached = (client: OpenAI, id: string, ...states: readonly OpenAI.Batch['status'][]) =>
  until(async () => {
    const batch = await client.batches.retrieve(id);
    return states.includes(batch.status) && batch;
  });

const textOf = async (client: OpenAI, file: string | null | undefined) =>
  file == null ? '' : (await client.files.content(file)).text();

it("A4: OpenAI's client uploads, creates, polls and downloads, and every byte of requests and answers survives", async () => {
  const { client, received, startWorker } = await open();
  startWorker();
  const lines = [
    ...Object.entries(BODIES).map(([id, body]) => line(id, body)),
    line('bad', '{"model":"gpt-4o-mini","messages":[],"max_tokens":-1}'),
  ];
  const created = await createBatch(client, lines);
  expect(created).toMatchObject({ status: 'validating', metadata: { of: 'test' }, output_file_id: null });
  const batch = await reached(client, created.id, 'completed');
  expect(batch).toMatchObject({
    request_counts: { total: 4, completed: 3, failed: 1 },
    model: 'gpt-4o-mini',
    usage: { input_tokens: 15, output_tokens: 6, total_tokens: 21 },
  });
  const sent = Object.values(BODIES).map((body) => body.replace('"gpt-4o-mini"', '"qwen3:8b"'));
  expect(received).toHaveLength(4);
  expect(received).toEqual(expect.arrayContaining(sent));

  const output = (await textOf(client, batch.output_file_id)).trimEnd().split('\n');
  expect(output).toHaveLength(3);
  for (const [n, id] of Object.keys(BODIES).entries()) {
    const found = output.find((text) => text.includes(`"custom_id":"${id}"`));
    expect(found).toContain(`"body":${answerTo(sent[n] ?? '')}}`);
    expect(JSON.parse(found ?? '')).toMatchObject({
      id: expect.stringMatching(/^batch_req_/) as string,
      response: {
        status_code: 200,
        // A request without an id of the server gets one of the batch.
        request_id:
          id === 'openai' ? 'req_of_success' : (expect.stringMatching(/^req_[0-9a-f]{42}$/) as string),
      },
      error: null,
    });
  }
  expect(await textOf(client, batch.error_file_id)).toMatch(
    /^\{"id":"batch_req_\w+","custom_id":"bad","response":\{"status_code":400,"request_id":"req_of_server","body":/,
  );
  expect(await textOf(client, batch.error_file_id)).toContain(`"body":${ERROR}},"error":null}`);

  expect(await client.files.retrieve(batch.output_file_id ?? '')).toMatchObject({ purpose: 'batch_output' });
  const part = await client.files.content(batch.output_file_id ?? '', { headers: { range: 'bytes=0-9' } });
  expect(await part.text()).toBe('{"id":"bat');
  expect(await client.files.delete(batch.input_file_id)).toMatchObject({ deleted: true });
  await expect(client.files.retrieve(batch.input_file_id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
});

it("A4: OpenAI's client cancels twice, lists page by page, and gets the errors of a failed batch", async () => {
  const { client } = await open();
  const waiting = await createBatch(client, [line('a', BODIES.openai), line('b', BODIES.litellm)]);
  await reached(client, waiting.id, 'in_progress');
  expect(['cancelling', 'cancelled']).toContain((await client.batches.cancel(waiting.id)).status);
  expect(['cancelling', 'cancelled']).toContain((await client.batches.cancel(waiting.id)).status);
  const cancelled = await reached(client, waiting.id, 'cancelled');
  expect(cancelled).toMatchObject({
    output_file_id: null,
    request_counts: { total: 2, completed: 0, failed: 2 },
    cancelled_at: expect.any(Number) as number,
  });
  const errors = (await textOf(client, cancelled.error_file_id)).trimEnd().split('\n');
  expect(errors.map((text) => JSON.parse(text) as object)).toMatchObject([
    { custom_id: 'a', response: null, error: { code: 'batch_cancelled' } },
    { custom_id: 'b', response: null, error: { code: 'batch_cancelled' } },
  ]);

  const broken = await createBatch(client, [line('a', BODIES.openai), line('a', BODIES.openai), '{']);
  const failed = await reached(client, broken.id, 'failed');
  expect(failed.errors?.data).toMatchObject([
    { code: 'duplicate_custom_id', line: 2 },
    { code: 'invalid_json_line', line: 3 },
  ]);

  const last = await createBatch(client, [line('a', BODIES.openai)]);
  const listed: string[] = [];
  for await (const { id } of client.batches.list({ limit: 1 })) listed.push(id);
  expect(listed).toEqual([last.id, broken.id, waiting.id]);
  const files: string[] = [];
  for await (const { id } of client.files.list({ limit: 2, purpose: 'batch', order: 'asc' })) files.push(id);
  expect(files).toEqual([waiting.input_file_id, broken.input_file_id, last.input_file_id]);
});

it("A4: OpenAI's client gets its own error classes", async () => {
  const { client } = await open();
  const file = await uploadLines(client, [line('a', BODIES.openai)]);
  const create = (more: object) =>
    client.batches.create({ input_file_id: file.id, endpoint: CHAT, completion_window: '24h', ...more });
  await expect(client.batches.retrieve('batch_none')).rejects.toMatchObject({
    constructor: OpenAI.NotFoundError,
    type: 'invalid_request_error',
  });
  await expect(create({ input_file_id: 'file-none' })).rejects.toMatchObject({
    constructor: OpenAI.NotFoundError,
    param: 'input_file_id',
  });
  await expect(create({ completion_window: '1h' })).rejects.toMatchObject({
    constructor: OpenAI.BadRequestError,
    param: 'completion_window',
  });
  await expect(create({ endpoint: '/v1/moderations' })).rejects.toMatchObject({ param: 'endpoint' });
  await expect(
    client.files.create({ file: await toFile(Buffer.of(), 'x'), purpose: 'batch' }),
  ).rejects.toMatchObject({
    constructor: OpenAI.BadRequestError,
    code: 'empty_file',
  });
  await expect(
    client.files.create({ file: await toFile(Buffer.from('{}'), 'x'), purpose: 'vision' }),
  ).rejects.toMatchObject({
    constructor: OpenAI.BadRequestError,
    param: 'purpose',
  });
  const key = { headers: { 'Idempotency-Key': 'once' } };
  const send = (metadata: Record<string, string>) =>
    client.batches.create(
      { input_file_id: file.id, endpoint: CHAT, completion_window: '24h', metadata },
      key,
    );
  expect((await send({ a: '1' })).id).toBe((await send({ a: '1' })).id);
  await expect(send({ a: '2' })).rejects.toBeInstanceOf(OpenAI.ConflictError);
});
