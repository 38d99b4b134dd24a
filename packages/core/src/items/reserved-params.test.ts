import { expect, it } from 'vitest';
import { reservedParam } from './reserved-params.ts';

it.each([
  ['stream', true],
  ['stream', 'yes'],
  ['stream_options', { include_usage: true }],
  ['n', 2],
  ['model', 'other'],
  ['messages', []],
  ['prompt', 'Hi'],
  ['input', 'Hi'],
])('A3: finds the reserved param %s', (name, value) => {
  for (const jobType of ['chat', 'generate', 'embed'] as const) {
    expect(reservedParam(jobType, { temperature: 0, [name]: value })).toMatchObject({ name });
  }
});

it('accepts values that ask for nothing special, and all params of a model server', () => {
  const params = { stream: false, n: 1, logprobs: true, top_logprobs: 2, toString: 1, constructor: 2 };
  expect(reservedParam('chat', params)).toBeNull();
});

it('leaves the params of other job types alone', () => {
  expect(reservedParam('noop', { stream: true, n: 3 })).toBeNull();
});
