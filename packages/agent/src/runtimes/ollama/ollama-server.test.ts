import type { RequestListener } from 'node:http';
import { json } from 'node:stream/consumers';
import { serveLocally } from '@macbatch/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RECORDED_SERVERS } from '../../testing/recorded-servers.ts';
import { openAiEndpoint } from '../endpoint/openai-endpoint.ts';
import type { RunRequest } from '../runtime.ts';

/** Replies of docs/api.md of ollama/ollama; the errors are from its server/routes.go and its issues. */
const CHAT = {
  model: 'llama3',
  created_at: '2023-12-12T14:13:43.416799Z',
  message: { role: 'assistant', content: 'Hello! How are you today?' },
  done: true,
  done_reason: 'stop',
  total_duration: 5_191_566_416,
  load_duration: 2_154_458,
  prompt_eval_count: 26,
  prompt_eval_duration: 383_809_000,
  eval_count: 298,
  eval_duration: 4_799_921_000,
};
const GENERATED = {
  model: 'llama3',
  response: 'upon a time',
  done: true,
  done_reason: 'length',
  prompt_eval_count: 5,
  eval_count: 4,
};
const EMBEDDED = {
  model: 'all-minilm',
  embeddings: [[0.010071029, -0.0017594862, 0.05007221]],
  prompt_eval_count: 8,
};
/** Of release 0.40, which passes on the error of its llama-server. */
const OVERFLOW_0_40 = JSON.stringify({
  error: JSON.stringify({
    error: {
      code: 400,
      message: 'request (2622 tokens) exceeds the available context size (512 tokens), try increasing it',
      type: 'exceed_context_size_error',
      n_prompt_tokens: 2622,
      n_ctx: 512,
    },
  }),
});

interface Seen {
  readonly path: string;
  readonly body: unknown;
}

/** Runs an item on an Ollama that answers posts like this. */
async function run(
  job: Partial<RunRequest>,
  answers: Readonly<Record<string, readonly [status: number, body: object | string]>>,
) {
  const seen: Seen[] = [];
  const recorded: Readonly<Record<string, { readonly text: string }>> = RECORDED_SERVERS.Ollama;
  const listener: RequestListener = async (incoming, reply) => {
    const path = incoming.url ?? '';
    if (incoming.method === 'GET') {
      reply.writeHead(recorded[path] === undefined ? 404 : 200).end(recorded[path]?.text);
      return;
    }
    seen.push({ path, body: await json(incoming) });
    const [status, body] = answers[path] ?? [404, '404 page not found'];
    reply.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  const url = await serveLocally((incoming, reply) => void listener(incoming, reply));
  const runtime = openAiEndpoint({ url: `${url}/v1`, models: { m: 'llama3' } }, { now: () => 0 });
  onTestFinished(() => runtime.close());
  const request: RunRequest = {
    job_type: 'chat',
    model: 'm',
    params: {},
    payload: 'Hello!',
    payloadText: '"Hello!"',
    signal: new AbortController().signal,
    ...job,
  };
  return { seen, result: await runtime.run(request).catch((error: unknown) => ({ error })) };
}

describe('an item on Ollama', () => {
  it('has the params of its job, and the same output as through OpenAI’s API', async () => {
    const { seen, result } = await run(
      { params: { num_ctx: 8192, keep_alive: '1h', system: 'Be brief.' } },
      { '/api/chat': [200, CHAT] },
    );
    expect(seen).toMatchObject([
      {
        path: '/api/chat',
        body: {
          model: 'llama3',
          keep_alive: '1h',
          options: { num_ctx: 8192 },
          messages: [
            { role: 'system', content: 'Be brief.' },
            { role: 'user', content: 'Hello!' },
          ],
        },
      },
    ]);
    expect(result).toMatchObject({
      output: '{"text":"Hello! How are you today?","finish_reason":"stop"}',
      model: { name: 'llama3', digest: expect.stringMatching(/^sha256:fe938a13/) as string },
      usage: { input_tokens: 26, output_tokens: 298 },
    });
  });

  it('keeps the thinking of the model, and says if the answer is cut', async () => {
    const message = { ...CHAT.message, thinking: 'A greeting.' };
    const { result } = await run({}, { '/api/chat': [200, { ...CHAT, message, done_reason: 'length' }] });
    expect(JSON.parse((result as { output: string }).output)).toEqual({
      text: 'Hello! How are you today?',
      finish_reason: 'length',
      cut: true,
      reasoning: 'A greeting.',
    });
  });

  it('continues a prompt', async () => {
    const { result } = await run(
      { job_type: 'generate', payload: 'Once' },
      { '/api/generate': [200, GENERATED] },
    );
    expect(result).toMatchObject({ output: '{"text":"upon a time","finish_reason":"length","cut":true}' });
  });

  it('embeds a text that is not truncated', async () => {
    const { seen, result } = await run({ job_type: 'embed' }, { '/api/embed': [200, EMBEDDED] });
    expect(seen).toMatchObject([{ path: '/api/embed', body: { input: 'Hello!', truncate: false } }]);
    expect(JSON.parse((result as { output: string }).output)).toMatchObject({
      dimensions: 3,
      tokens_read: 8,
      truncated: false,
    });
  });

  it('goes through OpenAI’s API if only that can say it', async () => {
    const answer = { model: 'llama3', choices: [{ finish_reason: 'stop', message: { content: 'Hi' } }] };
    const { seen, result } = await run(
      { params: { logprobs: true } },
      { '/v1/chat/completions': [200, answer] },
    );
    expect(seen).toMatchObject([{ path: '/v1/chat/completions', body: { logprobs: true } }]);
    expect(result).toMatchObject({ output: '{"text":"Hi","finish_reason":"stop"}' });
  });

  it('goes through OpenAI’s API if something between passes on only that', async () => {
    const answer = { choices: [{ finish_reason: 'stop', message: { content: 'Hi' } }] };
    const { seen } = await run({}, { '/v1/chat/completions': [200, answer] });
    expect(seen.map(({ path }) => path)).toEqual(['/api/chat', '/v1/chat/completions']);
  });

  it('goes as it is if it is a raw request', async () => {
    const payloadText = '{"messages":[], "num_ctx":5}';
    const { seen } = await run(
      { job_type: 'request:/v1/chat/completions', payload: JSON.parse(payloadText), payloadText },
      { '/v1/chat/completions': [200, { choices: [] }] },
    );
    expect(seen).toEqual([
      { path: '/v1/chat/completions', body: { messages: [], num_ctx: 5, model: 'llama3' } },
    ]);
  });
});

const failure = (job: Partial<RunRequest>, path: string, status: number, body: object | string) =>
  run(job, { [path]: [status, body] }).then(({ result }) => (result as { error: unknown }).error);

describe('a prompt that is too long for Ollama', () => {
  it.each<[release: string, status: number, body: object | string]>([
    ['0.12.6', 400, { error: 'the input length exceeds the context length' }],
    ['0.40', 400, OVERFLOW_0_40],
  ])('is refused by release %s', async (_, status, body) => {
    expect(await failure({}, '/api/chat', status, body)).toMatchObject({
      failure: 'rejected',
      code: 'context_length_exceeded',
    });
  });

  it.each<[what: string, params: object, read: number, isCut: boolean]>([
    ['the num_ctx of the job', { num_ctx: 512 }, 512, true],
    ['the num_ctx in options', { options: { num_ctx: 512 } }, 512, true],
    ['the context of the model in memory', {}, 4096, true],
    ['less than the num_ctx of the job', { num_ctx: 512 }, 511, false],
    ['less than the context of the model in memory', {}, 4095, false],
  ])('and is cut by an older release: it read %s', async (_, params, read, isCut) => {
    const error = await failure({ params: { ...params } }, '/api/chat', 200, {
      ...CHAT,
      prompt_eval_count: read,
    });
    if (!isCut) expect(error).toBeUndefined();
    else
      expect(error).toMatchObject({
        failure: 'permanent',
        code: 'prompt_truncated',
        ran: { model: { name: 'llama3' }, usage: { input_tokens: read } },
      });
  });
});

it.each<[what: string, status: number, body: object | string, failure: string, code: string]>([
  ['an error with status 200', 200, { error: 'something went wrong' }, 'transient', 'empty_response'],
  ['nothing', 200, '', 'transient', 'empty_response'],
  ['half of its JSON', 200, '{"model":"llama3","message":{"ro', 'transient', 'empty_response'],
  ['an answer that is not done', 200, { ...CHAT, done: false }, 'transient', 'incomplete_answer'],
  [
    'an error in the middle',
    200,
    '{"done":false}\n{"error":"unexpected EOF"}',
    'transient',
    'empty_response',
  ],
  ['a sign-in page', 200, '<html><title>Hotel</title></html>', 'not_here', 'not_a_model_server'],
  ['that the model is missing', 404, { error: "model 'llama3' not found" }, 'not_here', 'model_not_found'],
  [
    'that the model cannot chat',
    400,
    { error: '"llama3" does not support chat' },
    'not_here',
    'not_supported',
  ],
  [
    'that the queue is full',
    503,
    { error: 'server busy, please try again.  maximum pending requests exceeded' },
    'wait',
    'server_busy',
  ],
])('judges %s like the same answer of OpenAI’s API', async (_, status, body, kind, code) => {
  expect(await failure({}, '/api/chat', status, body)).toMatchObject({ failure: kind, code });
});
