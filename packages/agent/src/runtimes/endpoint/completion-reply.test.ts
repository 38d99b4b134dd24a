import { expect, test } from 'vitest';
import { endpointReply } from './completion-reply.ts';

test('keeps the finish reason, also of an answer that was cut', () => {
  const reply = {
    model: 'llama3.2:3b',
    choices: [{ finish_reason: 'length', message: { role: 'assistant', content: 'Once upon' } }],
    usage: { prompt_tokens: 12, completion_tokens: 2 },
  };
  expect(endpointReply('chat', reply)).toEqual({
    output: '{"text":"Once upon","finish_reason":"length"}',
    model: 'llama3.2:3b',
    usage: { input_tokens: 12, output_tokens: 2 },
  });
});

test('keeps tool calls, also without a text', () => {
  const toolCalls = [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }];
  const reply = {
    choices: [{ finish_reason: 'tool_calls', message: { content: null, tool_calls: toolCalls } }],
  };
  expect(JSON.parse(endpointReply('chat', reply).output)).toEqual({
    text: '',
    finish_reason: 'tool_calls',
    tool_calls: toolCalls,
  });
});

test.each([
  ['chat', {}],
  ['chat', { choices: [] }],
  ['chat', { choices: [{ finish_reason: 'length', message: { content: '' } }] }],
  ['generate', { choices: [{ finish_reason: 'stop', text: '' }] }],
  ['embed', {}],
  ['embed', { data: [{ embedding: [1] }, { embedding: [2] }] }],
  ['embed', { data: [{ embedding: [] }] }],
  ['embed', { data: [{ embedding: [0.5, null] }] }],
  ['embed', { data: [{ embedding: 'AACAPw==' }] }],
] as const)('treats the %s reply %j as a transient failure', (jobType, reply) => {
  expect(() => endpointReply(jobType, reply)).toThrow(
    expect.objectContaining({ failure: 'transient', code: 'empty_response' }),
  );
});

test('returns an embedding with the server’s token count, and null for truncated', () => {
  const reply = { data: [{ embedding: [0.5, -0.25] }], usage: { prompt_tokens: 3, total_tokens: 3 } };
  expect(JSON.parse(endpointReply('embed', reply).output)).toEqual({
    embedding: [0.5, -0.25],
    dimensions: 2,
    tokens_read: 3,
    truncated: null,
  });
});
