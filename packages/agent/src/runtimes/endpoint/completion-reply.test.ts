import { describe, expect, it, test } from 'vitest';
import { endpointReply } from './completion-reply.ts';

const USAGE = { prompt_tokens: 12, completion_tokens: 2 };

/** A chat reply with one choice. */
const chat = (message: object, finish_reason: unknown = 'stop', more: object = {}) => ({
  model: 'm',
  choices: [{ index: 0, finish_reason, message: { role: 'assistant', ...message }, ...more }],
  usage: USAGE,
});
const outputOf = (reply: unknown): unknown => JSON.parse(endpointReply('chat', reply).output);
const failureOf = (reply: unknown, jobType: 'chat' | 'generate' | 'embed' = 'chat'): unknown => {
  try {
    return endpointReply(jobType, reply).output;
  } catch (error) {
    return error;
  }
};

test('keeps the finish reason, and marks a truncated answer', () => {
  expect(endpointReply('chat', chat({ content: 'Once upon' }, 'length'))).toEqual({
    output: '{"text":"Once upon","finish_reason":"length","cut":true}',
    model: 'm',
    usage: { input_tokens: 12, output_tokens: 2 },
  });
});

test('keeps tool calls, even without a text', () => {
  const toolCalls = [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }];
  expect(outputOf(chat({ content: null, tool_calls: toolCalls }, 'tool_calls'))).toEqual({
    text: '',
    finish_reason: 'tool_calls',
    tool_calls: toolCalls,
  });
});

describe('keeps what was asked for and what the server adds', () => {
  const logprobs = { content: [{ token: 'A', logprob: -0.25, top_logprobs: [] }] };
  it.each<[string, unknown, object]>([
    ['log probabilities', chat({ content: 'A' }, 'stop', { logprobs }), { logprobs }],
    ['reasoning', chat({ content: 'A', reasoning: 'because' }), { reasoning: 'because' }],
    ['reasoning_content', chat({ content: 'A', reasoning_content: 'hm' }), { reasoning_content: 'hm' }],
    [
      'annotations',
      chat({ content: 'A', annotations: [{ type: 'url_citation' }] }),
      { annotations: [{ type: 'url_citation' }] },
    ],
    [
      'audio',
      chat({ content: null, audio: { id: 'a', data: 'UklGRg==' } }),
      { text: '', audio: { id: 'a', data: 'UklGRg==' } },
    ],
    [
      'a legacy function call',
      chat({ content: null, function_call: { name: 'f' } }, 'function_call'),
      { function_call: { name: 'f' } },
    ],
    ['stop_reason', chat({ content: 'A' }, 'stop', { stop_reason: 128_009 }), { stop_reason: 128_009 }],
    [
      'members of the reply',
      {
        ...chat({ content: 'A' }),
        system_fingerprint: 'fp_1',
        service_tier: 'flex',
        citations: ['http://a'],
      },
      { system_fingerprint: 'fp_1', service_tier: 'flex', citations: ['http://a'] },
    ],
  ])('%s', (_what, reply, kept) => {
    expect(outputOf(reply)).toMatchObject(kept);
  });

  it('leaves out empty members and the members of the envelope', () => {
    const message = { content: 'A', refusal: null, annotations: [], tool_calls: [], reasoning: '' };
    const reply = {
      id: 'x',
      object: 'chat.completion',
      created: 1,
      ...chat(message, 'stop', { logprobs: null }),
    };
    expect(endpointReply('chat', reply).output).toBe('{"text":"A","finish_reason":"stop"}');
  });

  it('lists the members that are too deep to keep, and keeps the text', () => {
    const deep: unknown = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000));
    expect(outputOf(chat({ content: 'A', reasoning_details: deep }))).toEqual({
      text: 'A',
      finish_reason: 'stop',
      dropped: ['reasoning_details'],
    });
  });

  it('does not let a server overwrite the text', () => {
    expect(outputOf({ ...chat({ content: 'A', text: 'B', cut: 1 }), text: 'C' })).toEqual({
      text: 'A',
      finish_reason: 'stop',
    });
  });
});

describe('joins content in parts', () => {
  it.each<[string, unknown, object]>([
    [
      'thinking and text',
      [
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
        { type: 'text', text: 'Forty-' },
        { type: 'text', text: 'two.' },
      ],
      { text: 'Forty-two.', thinking: 'hm' },
    ],
    [
      'texts without a type, and strings',
      ['A', { text: 'B' }, { type: 'output_text', text: 'C' }],
      { text: 'ABC' },
    ],
    ['a nested text', [{ type: 'text', text: { value: 'A', annotations: [] } }], { text: 'A' }],
    ['one part instead of a list', { type: 'text', text: 'A' }, { text: 'A' }],
    ['an object that the server has parsed', { name: 'Anna' }, { text: '{"name":"Anna"}' }],
    [
      'a part of another type',
      [
        { type: 'text', text: 'A' },
        { type: 'reference', reference_ids: [1] },
      ],
      { text: 'A', parts: [{ type: 'reference', reference_ids: [1] }] },
    ],
  ])('%s', (_what, content, output) => {
    expect(outputOf(chat({ content }))).toEqual({ finish_reason: 'stop', ...output });
  });

  it('fails the item when the content is not a text', () => {
    expect(failureOf(chat({ content: 7 }))).toMatchObject({
      failure: 'permanent',
      code: 'unreadable_answer',
    });
  });
});

describe('a refusal is an error of the item, with its words', () => {
  const words = 'I cannot help with that.';
  it.each<[string, unknown]>([
    ['as its own member', chat({ content: null, refusal: words })],
    ['beside a text', chat({ content: 'Well.', refusal: words })],
    ['as a part', chat({ content: [{ type: 'refusal', refusal: words }] })],
    ['by its finish reason', chat({ content: words }, 'refusal')],
  ])('%s', (_what, reply) => {
    expect(failureOf(reply)).toMatchObject({
      failure: 'permanent',
      code: 'model_refused',
      message: `the model refused: ${words}`,
    });
  });
});

test('names what a filter found', () => {
  const found = { hate: { filtered: true, severity: 'high' }, violence: { filtered: false } };
  expect(
    failureOf(chat({ content: 'half an' }, 'content_filter', { content_filter_results: found })),
  ).toMatchObject({
    failure: 'permanent',
    code: 'content_filtered',
    message: 'the model server filtered the answer ("content_filter", hate): half an',
  });
});

describe('an answer that the server does not call complete is a failure', () => {
  it.each([null, '', 'error', 'abort', 'something_new', 7, {}])('finish_reason %j', (reason) => {
    expect(failureOf(chat({ content: 'half of an ans' }, reason))).toMatchObject({
      failure: 'transient',
      code: 'incomplete_answer',
    });
  });

  it('no finish_reason', () => {
    const choices = [{ message: { content: 'half of an ans' } }];
    expect(failureOf({ choices })).toMatchObject({ failure: 'transient', code: 'incomplete_answer' });
  });

  it.each(['stop', 'length', 'error', null])('an error of the choice beside finish_reason %j', (reason) => {
    const error = { code: 502, message: 'the provider went away' };
    for (const reply of [
      chat({ content: 'half' }, reason, { error }),
      chat({ content: 'half', error }, reason),
    ]) {
      expect(failureOf(reply)).toMatchObject({
        failure: 'transient',
        code: 'incomplete_answer',
        message: expect.stringContaining('the provider went away') as string,
      });
    }
  });

  it('an error of the choice that the next try would meet again fails the item', () => {
    const error = { message: 'maximum context length is 4096 tokens' };
    expect(failureOf(chat({ content: 'half' }, 'error', { error }))).toMatchObject({
      failure: 'permanent',
      code: 'context_length_exceeded',
    });
  });

  it.each([null, false, '', {}])('but an error of %j is none', (error) => {
    expect(outputOf(chat({ content: 'A' }, 'stop', { error }))).toEqual({ text: 'A', finish_reason: 'stop' });
  });

  it('but an endpoint may name the reasons of its server', () => {
    const own = { null: 'stop', done: 'length' };
    const read = (reason: unknown) =>
      JSON.parse(endpointReply('chat', chat({ content: 'A' }, reason), own).output);
    expect(read(null)).toEqual({ text: 'A', finish_reason: null });
    expect(read('DONE')).toEqual({ text: 'A', finish_reason: 'DONE', cut: true });
  });
});

describe('an answer without a text', () => {
  it.each(['', null, []])('is an outcome when the model ended it: content %j', (content) => {
    expect(outputOf(chat({ content }))).toEqual({ text: '', finish_reason: 'stop' });
  });

  it.each<[string, unknown]>([
    ['reasoning', chat({ content: '', reasoning: 'hm' }, 'length')],
    ['reasoning_content', chat({ content: null, reasoning_content: 'hm' }, 'length')],
    ['thinking parts', chat({ content: [{ type: 'thinking', thinking: 'hm' }] }, 'length')],
    [
      'counted reasoning tokens',
      {
        ...chat({ content: '' }, 'length'),
        usage: { ...USAGE, completion_tokens_details: { reasoning_tokens: 2 } },
      },
    ],
  ])('is an error of the item when its tokens were spent on thinking: %s', (_what, reply) => {
    expect(failureOf(reply)).toMatchObject({
      failure: 'permanent',
      code: 'token_limit_reached',
      message: expect.stringMatching(/of 2 tokens on thinking.*max_tokens/) as string,
    });
  });

  it('is an error of the item when a limit cut it before it began', () => {
    expect(failureOf(chat({ content: '' }, 'length'))).toMatchObject({
      failure: 'permanent',
      code: 'token_limit_reached',
      message: expect.stringContaining('max_tokens') as string,
    });
  });
});

test.each([
  ['chat', {}],
  ['chat', { choices: [] }],
  ['chat', { choices: [7] }],
  ['chat', { choices: [{ finish_reason: 'stop' }] }],
  ['embed', {}],
  ['embed', { data: [{ embedding: [1] }, { embedding: [2] }] }],
  ['embed', { data: [{ embedding: [] }] }],
  ['embed', { data: [{}] }],
] as const)('treats the %s reply %j as a transient failure', (jobType, reply) => {
  expect(failureOf(reply, jobType)).toMatchObject({ failure: 'transient', code: 'empty_response' });
});

test('reads the text of a completion', () => {
  const reply = { choices: [{ finish_reason: 'stop', text: 'Once' }] };
  expect(endpointReply('generate', reply).output).toBe('{"text":"Once","finish_reason":"stop"}');
});

test('returns an embedding with the server’s token count, and null for truncated', () => {
  const usage = { prompt_tokens: 3, total_tokens: 3 };
  const output = { embedding: [0.5, -0.25], dimensions: 2, tokens_read: 3, truncated: null };
  const numbers = { data: [{ embedding: [0.5, -0.25] }], usage };
  const base64 = { data: [{ embedding: 'AAAAPwAAgL4=' }], usage };
  for (const reply of [numbers, base64]) {
    expect(JSON.parse(endpointReply('embed', reply).output)).toEqual(output);
  }
});

test('fails the item for an embedding with members that are not numbers', () => {
  const reply = { data: [{ embedding: [0.5, null] }] };
  expect(failureOf(reply, 'embed')).toMatchObject({ failure: 'permanent', code: 'invalid_embedding' });
});
