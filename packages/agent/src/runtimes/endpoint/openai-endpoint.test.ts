import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { findLlamaServer, type LlamaServer, spawnLlamaServer } from '../../testing/llama-server.ts';
import { discoveredEndpoints } from '../discovery/discovered-endpoint.ts';
import { listServers } from '../discovery/list-servers.ts';
import type { RunRequest, Runtime } from '../runtime.ts';
import { type EndpointConfig, openAiEndpoint } from './openai-endpoint.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const never = new AbortController().signal;

const request = (job_type: RunRequest['job_type'], payload: unknown, more: Partial<RunRequest> = {}) => ({
  job_type,
  model: 'demo',
  params: {},
  payload,
  payloadText: JSON.stringify(payload),
  signal: never,
  ...more,
});

function open(url: string, more: Partial<EndpointConfig> = {}): Runtime {
  const runtime = openAiEndpoint({ url, models: { demo: 'tiny-demo' }, ...more }, { now: () => 0 });
  onTestFinished(() => runtime.close());
  return runtime;
}

describe.skipIf(findLlamaServer() === undefined)(
  'a real llama.cpp server (set MACBATCH_LLAMA_SERVER or brew install llama.cpp)',
  () => {
    let chatServer: LlamaServer;
    let embedServer: LlamaServer;
    beforeAll(async () => {
      chatServer = await spawnLlamaServer();
      embedServer = await spawnLlamaServer('--embeddings', '--pooling', 'mean');
    });
    afterAll(async () => {
      await Promise.all([chatServer.kill(), embedServer.kill()]);
    });

    test.each([
      ['Hello!', 'Hello! How can I help you?'],
      ['Find the order number: Where is my parcel B-48213?', 'B-48213'],
      ['What is the sentiment? The chair is great, I love it.', 'positive'],
      ['What is the topic? The team won the match.', 'sports'],
      ['Extract the name and the city as JSON: Anna lives in Berlin.', '{"name": "Anna", "city": "Berlin"}'],
    ])('chat: %s → %s', async (payload, text) => {
      const result = await open(chatServer.url).run(request('chat', payload, { params: { temperature: 0 } }));
      expect(JSON.parse(result.output)).toEqual({
        text,
        finish_reason: 'stop',
        system_fingerprint: expect.any(String) as string,
      });
      expect(result.model).toEqual({ name: 'tiny-demo', digest: null });
      expect(result.usage).toMatchObject({
        input_tokens: expect.any(Number) as number,
        output_tokens: expect.any(Number) as number,
      });
    });

    test('sends templates and messages to the model', async () => {
      const runtime = open(chatServer.url);
      const params = { temperature: 0, template: 'What is the topic? {{text}}' };
      const templated = await runtime.run(request('chat', { text: 'The team won the match.' }, { params }));
      expect(JSON.parse(templated.output)).toMatchObject({ text: 'sports', finish_reason: 'stop' });
      const payload = { messages: [{ role: 'user', content: 'Hello!' }] };
      const messages = await runtime.run(request('chat', payload, { params: { temperature: 0 } }));
      expect(JSON.parse(messages.output)).toMatchObject({ text: 'Hello! How can I help you?' });
    });

    test('is found by discovery, with its slots, its context length and an alias, and runs an item', async () => {
      const { origin } = new URL(chatServer.url);
      const [runtime] = discoveredEndpoints(
        { aliases: { demo: 'tiny-demo' }, urls: [origin] },
        { now: () => 0 },
      );
      onTestFinished(() => runtime?.close());
      const look = await runtime?.look?.(0);
      expect(look).toMatchObject({ name: `llama-server ${new URL(origin).host}`, isUnsettled: false });
      expect(look?.offers).toContainEqual({ job_type: 'chat', model: 'demo' });
      expect(look?.loaded).toEqual(['demo', 'tiny-demo']);
      expect(await runtime?.slots?.()).toEqual({ count: 4, isLimit: true });
      const result = await runtime?.run(request('chat', 'Hello!', { params: { temperature: 0 } }));
      expect(result?.output).toContain('How can I help you?');
      const [listed] = await listServers({ aliases: {}, urls: [origin] });
      expect(listed?.models).toMatchObject([{ name: 'tiny-demo', contextLength: 256 }]);
    });

    test('continues a prompt for generate, and reports a truncated answer', async () => {
      const params = { temperature: 0, max_tokens: 4 };
      const { output, usage } = await open(chatServer.url).run(request('generate', 'Once', { params }));
      expect(JSON.parse(output)).toMatchObject({ finish_reason: 'length', cut: true });
      expect(usage).toMatchObject({ output_tokens: 4 });
    });

    test('returns the vector of a text for embed', async () => {
      const { output, usage, model } = await open(embedServer.url).run(request('embed', 'Hello!'));
      const embedding = JSON.parse(output) as {
        embedding: number[];
        dimensions: number;
        tokens_read: number;
      };
      expect(embedding.embedding).toHaveLength(128);
      expect(embedding).toMatchObject({ dimensions: 128, tokens_read: usage?.input_tokens, truncated: null });
      expect(model.name).toBe('tiny-demo');
    });

    test('fails only the item whose text is longer than the context', async () => {
      const long = 'word '.repeat(400);
      for (const jobType of ['chat', 'generate'] as const) {
        await expect(open(chatServer.url).run(request(jobType, long))).rejects.toMatchObject({
          failure: 'rejected',
          code: 'context_length_exceeded',
        });
      }
      await expect(open(embedServer.url).run(request('embed', long))).rejects.toMatchObject({
        failure: 'rejected',
        code: 'context_length_exceeded',
      });
    });

    test('fails only the item whose request the server refuses, with the server’s message', async () => {
      const params = { response_format: { type: 'nonsense' } };
      const run = open(chatServer.url).run(request('chat', 'Hello!', { params }));
      await expect(run).rejects.toMatchObject({ failure: 'rejected', code: 'invalid_request' });
      await expect(run).rejects.toThrow(/response_format/);
    });

    test('withdraws alone what a server cannot do, and finds in a probe that the server answers', async () => {
      const runtime = open(chatServer.url);
      await expect(runtime.run(request('embed', 'Hello!'))).rejects.toMatchObject({
        failure: 'not_here',
        code: 'not_supported',
        withdraws: { reach: 'offer', until: 'probe' },
      });
      const embed = { job_type: 'embed', model: 'demo' } as const;
      expect(await runtime.probe?.([{ offer: embed, code: 'not_supported' }])).toEqual([true]);
    });

    test('withdraws everything when the key is wrong, and does not reveal the key', async () => {
      const locked = await spawnLlamaServer('--api-key', 'right-key');
      onTestFinished(() => locked.kill());
      await open(locked.url, { key: 'right-key' }).run(request('chat', 'Hello!'));

      const runtime = open(locked.url, { key: 'wrong-key-4711' });
      const error: unknown = await runtime.run(request('chat', 'Hello!')).catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        failure: 'not_here',
        code: 'unauthorized',
        withdraws: { reach: 'runtime', until: 'probe' },
      });
      expect(String((error as Error).stack)).not.toContain('4711');
      const offers = runtime.offers.map((offer) => ({ offer, code: 'unauthorized' }));
      expect(await runtime.probe?.(offers)).toEqual(offers.map(() => false));
    });

    test('distinguishes a server that died during a request from one that died before it', async () => {
      const doomed = await spawnLlamaServer();
      const runtime = open(doomed.url);
      await runtime.run(request('chat', 'Hello!'));
      doomed.process.kill('SIGSTOP');
      const running = runtime.run(request('chat', 'Hello!'));
      const killed = expect(running).rejects.toMatchObject({
        failure: 'interrupted',
        code: 'request_failed',
      });
      await doomed.kill();
      await killed;
      const refused = runtime.run(request('chat', 'Hello!'));
      await expect(refused).rejects.toMatchObject({ failure: 'wait', code: 'server_unreachable' });
      await expect(refused).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' }, withdraws: null });
    });

    test('rejects with the reason of the signal when aborted', async () => {
      const runtime = open(chatServer.url);
      const controller = new AbortController();
      const running = runtime.run(request('chat', 'Hello!', { signal: controller.signal }));
      controller.abort('stop');
      await expect(running).rejects.toBe('stop');
      await expect(
        runtime.run(request('chat', 'Hello!', { signal: AbortSignal.abort('before') })),
      ).rejects.toBe('before');
    });

    test('answers hundreds of items, six at a time', async () => {
      const runtime = open(chatServer.url);
      // The demo model is right about each of these alone, and wrong about a few others.
      const items = Array.from({ length: 230 }, (_, at) => `B-${48_227 + at * 7}`);
      const answers = await Promise.all(
        [0, 1, 2, 3, 4, 5].map(async (lane) => {
          const lanes: string[] = [];
          for (let at = lane; at < items.length; at += 6) {
            const payload = `Find the order number: Where is my parcel ${items[at]}?`;
            const { output } = await runtime.run(request('chat', payload, { params: { temperature: 0 } }));
            lanes.push((JSON.parse(output) as { text: string }).text);
          }
          return lanes;
        }),
      );
      expect(answers.flat().sort()).toEqual(items);
    });
  },
);

test('times out when the server never answers', async () => {
  const url = await listen(() => {});
  await expect(open(url, { timeoutMs: 50 }).run(request('chat', 'Hello!'))).rejects.toMatchObject({
    failure: 'timeout',
    code: 'timeout',
    bytesArrived: false,
  });
});

test('fails at a 200 with an error, and hides the key in its message', async () => {
  const url = await listen((_incoming, reply) => {
    reply.end('{"error":"the key k-4711 was not liked"}');
  });
  await expect(open(url, { key: 'k-4711' }).run(request('chat', 'Hello!'))).rejects.toMatchObject({
    code: 'empty_response',
    message: 'the model server answered 200: the key [key] was not liked',
  });
});

test('reports the model and the token usage of a refusal, and hides the key in its text', async () => {
  const url = await listen((incoming, reply) => {
    if (incoming.method === 'GET') return reply.writeHead(404).end();
    const message = { content: null, refusal: 'Not with k-4711.' };
    const usage = { prompt_tokens: 5, completion_tokens: 7 };
    return reply.end(JSON.stringify({ model: 'm-1', usage, choices: [{ finish_reason: 'stop', message }] }));
  });
  await expect(open(url, { key: 'k-4711' }).run(request('chat', 'Hello!'))).rejects.toMatchObject({
    failure: 'permanent',
    code: 'model_refused',
    message: 'the model refused: Not with [key].',
    ran: { model: { name: 'm-1', digest: null }, usage: { input_tokens: 5, output_tokens: 7 } },
  });
});

test('sends the length, the key and the model’s real name, and asks for no stream', async () => {
  const seen: unknown[] = [];
  const url = await listen(async (incoming, reply) => {
    if (incoming.method === 'GET') return reply.writeHead(404).end();
    const body = JSON.parse(Buffer.concat(await incoming.toArray()).toString()) as object;
    const { authorization, 'content-length': length } = incoming.headers;
    seen.push({ authorization, length, body });
    return reply.end('{"choices":[{"text":"upon a time","finish_reason":"stop"}]}');
  });
  const { output, model } = await open(url, { key: 'k-1' }).run(request('generate', 'Ünce'));
  expect(output).toBe('{"text":"upon a time","finish_reason":"stop"}');
  expect(model).toEqual({ name: 'tiny-demo', digest: null });
  const body = { prompt: 'Ünce', model: 'tiny-demo' };
  expect(seen[0]).toEqual({
    authorization: 'Bearer k-1',
    length: String(Buffer.byteLength(JSON.stringify(body))),
    body,
  });
});

test('reads digests from Ollama’s own API, and withdraws a missing model until a probe finds it listed', async () => {
  // Ollama is not available to tests. This server answers what its documents say.
  const digest = '0a8c266910232fd3291e71e5ba1e058cc5af9d411192cf88b6d30e92b6e73163';
  let pulled: boolean = false;
  const replies: Record<string, () => [number, object]> = {
    '/api/version': () => [200, { version: '0.12.0' }],
    '/api/tags': () => [200, { models: [{ name: 'tiny-demo:latest', digest }] }],
    '/v1/models': () => [200, { data: pulled ? [{ id: 'tiny-demo:latest' }] : [] }],
    '/v1/chat/completions': () =>
      pulled
        ? [200, { model: 'tiny-demo', choices: [{ finish_reason: 'stop', message: { content: 'Hi' } }] }]
        : [404, { error: { message: 'model "tiny-demo" not found', type: 'not_found_error' } }],
  };
  const url = await listen((incoming, reply) => {
    const [status, body] = replies[incoming.url ?? '']?.() ?? [404, {}];
    reply.writeHead(status).end(JSON.stringify(body));
  });
  const runtime = open(url);
  await expect(runtime.run(request('chat', 'Hello!'))).rejects.toMatchObject({
    failure: 'not_here',
    code: 'model_not_found',
    withdraws: { reach: 'model', until: 'probe' },
  });
  const chat = { job_type: 'chat', model: 'demo' } as const;
  const probe = () => runtime.probe?.([{ offer: chat, code: 'model_not_found' }]);
  expect(await probe()).toEqual([false]);
  pulled = true;
  expect(await probe()).toEqual([true]);
  const { model } = await runtime.run(request('chat', 'Hello!'));
  expect(model).toEqual({ name: 'tiny-demo', digest: `sha256:${digest}` });
});

async function listen(answer: (...args: Parameters<RequestListener>) => unknown): Promise<string> {
  const server = createServer((incoming, reply) => {
    void answer(incoming, reply);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
