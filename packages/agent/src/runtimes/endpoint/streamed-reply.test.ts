import { expect, it } from 'vitest';
import { endpointReply } from './completion-reply.ts';
import { streamedReply } from './streamed-reply.ts';

const events = (...data: readonly object[]) =>
  [...data.map((each) => JSON.stringify(each)), '[DONE]'].map((each) => `data: ${each}\n\n`).join('');
const delta = (part: object, more: object = {}) => ({
  model: 'm-1',
  usage: null,
  choices: [{ index: 0, delta: part, finish_reason: null, ...more }],
});
const outputOf = (text: string) => JSON.parse(endpointReply('chat', streamedReply(text)).output) as unknown;

it('joins the pieces of a chat answer, and keeps its token counts', () => {
  const text = events(
    delta({ role: 'assistant', content: '' }),
    delta({ reasoning_content: 'Let me ' }),
    delta({ reasoning_content: 'think.' }),
    delta({ content: 'Grüß ' }),
    delta({ content: 'Gott' }),
    delta({}, { finish_reason: 'stop' }),
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
  );
  const { output, model, usage } = endpointReply('chat', streamedReply(text));
  expect(JSON.parse(output)).toEqual({
    text: 'Grüß Gott',
    finish_reason: 'stop',
    reasoning_content: 'Let me think.',
  });
  expect([model, usage]).toEqual(['m-1', { input_tokens: 3, output_tokens: 2 }]);
});

it('joins the pieces of tool calls by their place', () => {
  const call = (index: number, piece: object) => delta({ tool_calls: [{ index, ...piece }] });
  const text = events(
    call(0, { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x"' } }),
    call(1, { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } }),
    call(0, { function: { arguments: ':1}' } }),
    delta({}, { finish_reason: 'tool_calls' }),
  );
  expect(outputOf(text)).toMatchObject({
    tool_calls: [
      { id: 'a', function: { name: 'f', arguments: '{"x":1}' } },
      { id: 'b', function: { name: 'g', arguments: '{}' } },
    ],
  });
});

it('joins the texts of a completion, log probabilities and parts', () => {
  const piece = (text: string, finish_reason: string | null) => ({ choices: [{ text, finish_reason }] });
  expect(outputOf(events(piece('a', null), piece('b', 'stop')))).toMatchObject({ text: 'ab' });
  const logprobs = (token: string) => ({ logprobs: { content: [{ token }] } });
  const text = events(
    delta({ content: 'a' }, logprobs('a')),
    delta({ content: [{ type: 'text', text: 'b' }] }, { ...logprobs('b'), finish_reason: 'stop' }),
  );
  expect(outputOf(text)).toMatchObject({
    text: 'ab',
    logprobs: { content: [{ token: 'a' }, { token: 'b' }] },
  });
});

it('reads events with comments, names and other line ends', () => {
  const data = JSON.stringify(delta({ content: 'Hi' }, { finish_reason: 'stop' }));
  expect(outputOf(`: ping\r\n\r\nevent: message\r\ndata:${data}\r\n\r\n`)).toMatchObject({ text: 'Hi' });
});

it.each([
  ['has no finish reason', events(delta({ content: 'half of' }))],
  ['ends in the middle of a line', `${events(delta({ content: 'half of' }))}data: {"choices":[{"del`],
])('does not take a stream for an answer that %s', (_why, text) => {
  expect(() => outputOf(text)).toThrow(/finish_reason null|not complete/);
});

it('returns the error of a stream', () => {
  const text = events(delta({ content: 'half' }), { error: { message: 'no GPU' } });
  expect(streamedReply(text)).toEqual({ error: { message: 'no GPU' } });
});

it.each(['', '{"data":1}', '<html>data: 1', 'data: [DONE]\n\n', 'data: nothing\n\n'])(
  'takes no other text for a stream: %j',
  (text) => {
    expect(streamedReply(text)).toBeUndefined();
  },
);
