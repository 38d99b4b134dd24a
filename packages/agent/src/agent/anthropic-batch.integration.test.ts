import Anthropic from '@anthropic-ai/sdk';
import { until } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { batchPool } from '../testing/batch-pool.ts';

type Params = Anthropic.Messages.BatchCreateParams.Request['params'];

const ERROR = { type: 'error', error: { type: 'invalid_request_error', message: 'max_tokens: too large' } };
const PARAMS: Params = { model: 'claude', max_tokens: 8, messages: [{ role: 'user', content: 'café' }] };
const BAD: Params = { ...PARAMS, max_tokens: 999 };

const messageOf = (body: string) =>
  `{"id":"msg_1","type":"message","role":"assistant","model":"qwen3:8b","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":5,"output_tokens":2},"echo":${body}}`;

/** Opens a pool whose worker runs messages on a server that answers with what it received. */
async function open() {
  const received: string[] = [];
  const { fetch, startWorker } = await batchPool((body, incoming, reply) => {
    received.push(`${incoming.url} ${incoming.headers['anthropic-version']} ${body}`);
    if (body.includes('"max_tokens":999'))
      return reply.writeHead(400, { 'request-id': 'req_of_server' }).end(JSON.stringify(ERROR));
    return reply.end(messageOf(body));
  });
  const client = new Anthropic({
    apiKey: 'not needed',
    baseURL: 'http://control.test',
    maxRetries: 0,
    fetch,
  });
  return { client, received, startWorker: () => startWorker('claude') };
}

const ended = (client: Anthropic, id: string) =>
  until(async () => {
    const batch = await client.messages.batches.retrieve(id);
    return batch.processing_status === 'ended' && batch;
  });

async function resultsOf(client: Anthropic, id: string) {
  const results = new Map<string, Anthropic.Messages.MessageBatchResult>();
  for await (const { custom_id: customId, result } of await client.messages.batches.results(id))
    results.set(customId, result);
  return results;
}

it("A4: Anthropic's client creates, polls, reads results and deletes, and every byte of params survives", async () => {
  const { client, received, startWorker } = await open();
  startWorker();
  const created = await client.messages.batches.create({
    requests: [
      { custom_id: 'good', params: PARAMS },
      { custom_id: 'bad', params: BAD },
    ],
  });
  expect(created).toMatchObject({ processing_status: 'in_progress', results_url: null });
  await expect(client.messages.batches.results(created.id)).rejects.toThrow(/results_url/);
  const batch = await ended(client, created.id);
  expect(batch.request_counts).toEqual({ processing: 0, succeeded: 1, errored: 1, canceled: 0, expired: 0 });
  const sent = JSON.stringify(PARAMS).replace('"claude"', '"qwen3:8b"');
  expect(received).toContain(`/v1/messages 2023-06-01 ${sent}`);
  expect(Object.fromEntries(await resultsOf(client, created.id))).toEqual({
    good: { type: 'succeeded', message: JSON.parse(messageOf(sent)) as object },
    bad: { type: 'errored', error: { ...ERROR, request_id: 'req_of_server' } },
  });
  expect(await client.messages.batches.delete(created.id)).toEqual({
    id: created.id,
    type: 'message_batch_deleted',
  });
  await expect(client.messages.batches.retrieve(created.id)).rejects.toBeInstanceOf(Anthropic.NotFoundError);
});

it("A4: Anthropic's client cancels twice, lists page by page in both directions, and gets its own error classes", async () => {
  const { client } = await open();
  const create = (...ids: readonly string[]) =>
    client.messages.batches.create({ requests: ids.map((id) => ({ custom_id: id, params: PARAMS })) });
  const [first, second, third] = [await create('a', 'b'), await create('a'), await create('a')];
  for (let n = 0; n < 2; n += 1)
    expect(['canceling', 'ended']).toContain(
      (await client.messages.batches.cancel(first.id)).processing_status,
    );
  expect((await ended(client, first.id)).request_counts).toMatchObject({ processing: 0, canceled: 2 });
  expect(Object.fromEntries(await resultsOf(client, first.id))).toEqual({
    a: { type: 'canceled' },
    b: { type: 'canceled' },
  });

  const listed: string[] = [];
  for await (const { id } of client.messages.batches.list({ limit: 1 })) listed.push(id);
  expect(listed).toEqual([third.id, second.id, first.id]);
  const newer: string[] = [];
  for await (const { id } of client.beta.messages.batches.list({ limit: 1, before_id: first.id }))
    newer.push(id);
  expect(newer).toEqual([second.id, third.id]);

  await expect(create('a', 'a')).rejects.toMatchObject({
    constructor: Anthropic.BadRequestError,
    type: 'invalid_request_error',
    message: expect.stringContaining('requests.1.custom_id') as string,
    requestID: expect.stringMatching(/^req_/) as string,
  });
  await expect(client.messages.create(PARAMS)).rejects.toMatchObject({
    constructor: Anthropic.BadRequestError,
    message: expect.stringContaining('/v1/messages/batches') as string,
  });
  await expect(client.messages.batches.cancel('msgbatch_none')).rejects.toBeInstanceOf(
    Anthropic.NotFoundError,
  );
  await expect(client.messages.batches.delete(second.id)).rejects.toBeInstanceOf(Anthropic.BadRequestError);
});
