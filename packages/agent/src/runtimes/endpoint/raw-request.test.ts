import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { REQUEST_ENDPOINTS } from '@macbatch/core';
import { serveLocally } from '@macbatch/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { findLlamaServer, type LlamaServer, spawnLlamaServer } from '../../testing/llama-server.ts';
import type { RunRequest } from '../runtime.ts';
import { type EndpointConfig, openAiEndpoint } from './openai-endpoint.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

interface Received {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function open(url: string, more: Partial<EndpointConfig> = {}) {
  const runtime = openAiEndpoint({ url, models: { demo: 'tiny-demo:1b' }, ...more }, { now: () => 0 });
  onTestFinished(() => runtime.close());
  return runtime;
}

/** Runs one raw request on a runtime. */
function send(
  runtime: ReturnType<typeof open>,
  endpoint: (typeof REQUEST_ENDPOINTS)[number],
  payloadText: string,
) {
  const request: RunRequest = {
    job_type: `request:${endpoint}`,
    model: 'demo',
    params: { endpoint },
    payload: JSON.parse(payloadText),
    payloadText,
    signal: new AbortController().signal,
  };
  return runtime.run(request);
}

/** A server that notes what it receives. */
async function noting(answer: RequestListener) {
  const received: Received[] = [];
  const url = await serveLocally((incoming, reply) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      if (incoming.method === 'POST')
        received.push({
          url: incoming.url,
          headers: incoming.headers,
          body: Buffer.concat(chunks).toString(),
        });
      answer(incoming, reply);
    });
  });
  return { url: `${url}/v1`, received };
}

/** Requests as clients document them. */
const BODIES: readonly (readonly [string, string])[] = [
  [
    'tools, as LangChain sends them',
    '{"messages": [{"content": "What is the weather?", "role": "user"}], "model": "demo", "tools": [{"type": "function", "function": {"name": "get_weather", "description": "Get the weather", "parameters": {"properties": {"location": {"type": "string"}}, "required": ["location"], "type": "object"}}}], "tool_choice": "auto", "parallel_tool_calls": false}',
  ],
  [
    'a response format',
    '{"model":"demo","messages":[{"role":"user","content":"Hi"}],"response_format":{"type":"json_schema","json_schema":{"name":"r","strict":true,"schema":{"type":"object","properties":{"a":{"type":"integer","minimum":9007199254740993}}}}}}',
  ],
  [
    'an image',
    '{"model":"demo","messages":[{"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"image_url","image_url":{"url":"data:image\\/png;base64,iVBORw0KGgo=","detail":"low"}}]}],"max_tokens":300}',
  ],
  [
    'log probabilities, several choices and unknown fields, as LiteLLM passes them on',
    '{"model": "demo", "messages": [{"role": "system", "content": "caf\\u00e9 \\ud83d\\ude00 é"}, {"role": "user", "content": "Hi"}], "logprobs": true, "top_logprobs": 2, "n": 2, "temperature": 1.0, "seed": 12345678901234567890, "metadata": {"model": "kept"}, "extra_body": {"x": [1e400, -0]}, "n": 3}',
  ],
];

describe('a raw request', () => {
  it.each(BODIES)('I7: arrives byte for byte, except for the model: %s', async (_what, body) => {
    const answer =
      '{"id":"chatcmpl-1","model":"tiny","choices":[{"logprobs":1.0}],"usage":{"prompt_tokens":3,"completion_tokens":2}}';
    const { url, received } = await noting((_, reply) => reply.end(answer));
    const result = await send(open(url), '/v1/chat/completions', body);
    expect(received.map((each) => each.body)).toEqual([
      body.replace(/"model": ?"demo"/, (found) => found.replace('demo', 'tiny-demo:1b')),
    ]);
    expect(result).toEqual({
      output: answer,
      model: { name: 'tiny', digest: null },
      usage: { input_tokens: 3, output_tokens: 2 },
    });
  });

  it.each(REQUEST_ENDPOINTS)('is sent to %s', async (endpoint) => {
    const { url, received } = await noting((_, reply) => reply.end('{}'));
    await send(open(url, { key: 'secret-key' }), endpoint, '{}');
    const [request] = received;
    expect(request).toMatchObject({ url: endpoint, body: '{"model":"tiny-demo:1b"}' });
    const isAnthropic = endpoint === '/v1/messages';
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer secret-key',
      'content-type': 'application/json',
    });
    expect(request?.headers['x-api-key']).toBe(isAnthropic ? 'secret-key' : undefined);
    expect(request?.headers['anthropic-version']).toBe(isAnthropic ? '2023-06-01' : undefined);
  });

  it('keeps the answer to a rejected request, without secrets', async () => {
    const { url } = await noting((_, reply) =>
      reply
        .writeHead(400, { 'x-request-id': 'req-7' })
        .end('{"error":{"message":"the key secret-key may not use tools","type":"invalid_request_error"}}'),
    );
    await expect(send(open(url, { key: 'secret-key' }), '/v1/chat/completions', '{}')).rejects.toMatchObject({
      failure: 'rejected',
      code: 'invalid_request',
      response: {
        status_code: 400,
        request_id: 'req-7',
        body: '{"error":{"message":"the key [key] may not use tools","type":"invalid_request_error"}}',
      },
    });
  });

  it('withdraws only the endpoint that a server lacks', async () => {
    const { url } = await noting((_, reply) =>
      reply.writeHead(404).end('{"error":{"message":"File Not Found"}}'),
    );
    await expect(send(open(url), '/v1/responses', '{}')).rejects.toMatchObject({
      failure: 'not_here',
      code: 'not_supported',
      withdraws: { reach: 'offer', until: 'probe' },
    });
  });
});

it('offers the endpoints that belong to the job types of a server', () => {
  const typesOf = (more: Partial<EndpointConfig>) =>
    open('http://127.0.0.1:1/v1', more).offers.map(({ job_type }) => job_type);
  expect(typesOf({})).toEqual([
    'chat',
    'generate',
    'embed',
    ...REQUEST_ENDPOINTS.map((each) => `request:${each}`),
  ]);
  expect(typesOf({ jobTypes: ['embed'] })).toEqual(['embed', 'request:/v1/embeddings']);
});

describe.skipIf(findLlamaServer() === undefined)(
  'a real llama.cpp server (set MACBATCH_LLAMA_SERVER or brew install llama.cpp)',
  () => {
    let server: LlamaServer;
    beforeAll(async () => {
      server = await spawnLlamaServer();
    });
    afterAll(() => server.kill());

    const message = '"messages":[{"role":"user","content":"Hello!"}],"temperature":0';

    it('answers several choices with log probabilities', async () => {
      const body = `{${message},"logprobs":true,"top_logprobs":2,"n":2,"unknown_field":{"a":[1]}}`;
      const { output, usage, model } = await send(open(server.url), '/v1/chat/completions', body);
      expect(JSON.parse(output)).toMatchObject({
        object: 'chat.completion',
        choices: [
          {
            index: 0,
            message: { content: 'Hello! How can I help you?' },
            logprobs: { content: expect.any(Array) as unknown[] },
          },
          { index: 1 },
        ],
      });
      expect(usage?.output_tokens).toBeGreaterThan(0);
      expect(model.name).not.toBe('');
    });

    it('keeps to a response format', async () => {
      const schema = '{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}';
      const body = `{${message},"max_tokens":64,"response_format":{"type":"json_schema","json_schema":{"schema":${schema}}}}`;
      const { output } = await send(open(server.url), '/v1/chat/completions', body);
      const content = (JSON.parse(output) as { choices: { message: { content: string } }[] }).choices[0]
        ?.message.content;
      expect(content).toMatch(/^\{\s*"a"\s*:/);
    });

    it('rejects what it cannot do with its own words', async () => {
      const image = '{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}';
      const body = `{"messages":[{"role":"user","content":[${image}]}]}`;
      await expect(send(open(server.url), '/v1/chat/completions', body)).rejects.toMatchObject({
        response: {
          status_code: 500,
          body: expect.stringContaining('image input is not supported') as string,
        },
      });
    });
  },
);
