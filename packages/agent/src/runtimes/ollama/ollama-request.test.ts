import { expect, it } from 'vitest';
import type { EndpointJobType } from '../endpoint/completion-request.ts';
import { ollamaRequest } from './ollama-request.ts';

const hi = [{ role: 'user', content: 'Hi' }];
const DEFAULTS = { temperature: 1, top_p: 1 };

/** What a chat with these params becomes, without its messages and the members that all have. */
function chatWith(params: object): unknown {
  const request = ollamaRequest('chat', { messages: hi, ...params });
  if (request === null) return null;
  const { messages: _, stream, truncate, shift, ...rest } = request.body;
  expect([stream, truncate, shift]).toEqual([false, false, false]);
  return rest;
}

it.each<[EndpointJobType, object, string, object]>([
  ['chat', { messages: hi }, '/api/chat', { messages: hi, options: DEFAULTS, stream: false, shift: false }],
  [
    'generate',
    { prompt: 'Once' },
    '/api/generate',
    { prompt: 'Once', options: DEFAULTS, stream: false, shift: false },
  ],
  ['embed', { input: 'Hi', dimensions: 8, user: 'ann' }, '/api/embed', { input: 'Hi', dimensions: 8 }],
])(
  'sends %s to Ollama’s own API, and asks for an error instead of a cut prompt',
  (jobType, body, path, expected) => {
    expect(ollamaRequest(jobType, { ...body })).toEqual({ path, body: { ...expected, truncate: false } });
  },
);

it.each<[object, object]>([
  [{ temperature: 0, top_p: 0.5, seed: 1 }, { options: { temperature: 0, top_p: 0.5, seed: 1 } }],
  [{ max_tokens: 9, stop: 'x' }, { options: { ...DEFAULTS, num_predict: 9, stop: ['x'] } }],
  [{ max_completion_tokens: 9, stop: ['x'] }, { options: { ...DEFAULTS, num_predict: 9, stop: ['x'] } }],
  [
    { num_ctx: 8192, keep_alive: '1h' },
    { options: { ...DEFAULTS, num_ctx: 8192 }, keep_alive: '1h' },
  ],
  [{ options: { num_ctx: 512, mirostat: 1 } }, { options: { ...DEFAULTS, num_ctx: 512, mirostat: 1 } }],
  [{ reasoning_effort: 'none' }, { options: DEFAULTS, think: false }],
  [{ reasoning_effort: 'high' }, { options: DEFAULTS, think: 'high' }],
  [{ response_format: { type: 'text' }, n: 1, stream: false, logprobs: null }, { options: DEFAULTS }],
  [{ response_format: { type: 'json_object' } }, { options: DEFAULTS, format: 'json' }],
  [
    { response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } } },
    { options: DEFAULTS, format: { type: 'object' } },
  ],
])('translates %j', (params, expected) => {
  expect(chatWith(params)).toEqual(expected);
});

it('joins the text parts of a message', () => {
  const content = [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ];
  expect(ollamaRequest('chat', { messages: [{ role: 'user', content }] })?.body).toMatchObject({
    messages: [{ role: 'user', content: 'ab' }],
  });
});

it.each<object>([
  { tools: [] },
  { logprobs: true },
  { logit_bias: { 1: 2 } },
  { response_format: { type: 'grammar' } },
  { something_new: 1 },
  { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] }] },
  { messages: [{ role: 'tool', content: 'x', tool_call_id: '1' }] },
  { messages: [{ role: 'assistant', content: '', tool_calls: [] }] },
])('leaves to OpenAI’s API what only that can say: %j', (params) => {
  expect(chatWith(params)).toBeNull();
});

it('refuses what needs both', () => {
  expect(() => chatWith({ num_ctx: 512, logprobs: true })).toThrow(/cannot combine num_ctx with logprobs/);
});

it('takes the context length from the params of a job only, so all items have the same', () => {
  const messages = [{ role: 'user', content: 'Hi', num_ctx: 9 }];
  expect(ollamaRequest('chat', { messages })).toBeNull();
});
