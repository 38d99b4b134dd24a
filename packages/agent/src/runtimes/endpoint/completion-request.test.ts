import { expect, test } from 'vitest';
import { endpointRequest } from './completion-request.ts';

test.each([
  ['a string', 'Hi'],
  ['an object with a prompt', { prompt: 'Hi', id: 7 }],
  ['an object with a text', { text: 'Hi' }],
  ['messages', { messages: [{ role: 'user', content: 'Hi' }] }],
])('takes %s as a chat payload', (_name, payload) => {
  expect(endpointRequest('chat', { payload, params: {} })).toEqual({
    path: '/chat/completions',
    body: { messages: [{ role: 'user', content: 'Hi' }] },
  });
});

test('passes params through and makes messages of system and template', () => {
  const params = {
    temperature: 0,
    response_format: { type: 'json_object' },
    system: 'Be brief.',
    template: '> {{text}} < {{text}}',
  };
  expect(endpointRequest('chat', { payload: 'costs $& more', params }).body).toEqual({
    temperature: 0,
    response_format: { type: 'json_object' },
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: '> costs $& more < costs $& more' },
    ],
  });
});

test('sends a prompt for generate and an input for embed', () => {
  expect(endpointRequest('generate', { payload: { prompt: 'Once' }, params: { stop: ['\n'] } })).toEqual({
    path: '/completions',
    body: { stop: ['\n'], prompt: 'Once' },
  });
  expect(
    endpointRequest('embed', { payload: { text: 'Once' }, params: { template: 'query: {{text}}' } }),
  ).toEqual({
    path: '/embeddings',
    body: { input: 'query: Once' },
  });
});

test.each([
  ['chat', { stream: true }, 'params.stream'],
  ['chat', { model: 'other' }, 'params.model'],
  ['chat', { n: 2 }, 'params.n'],
  ['chat', { messages: [] }, 'params.messages'],
  ['chat', { system: 7 }, 'params.system'],
  ['generate', { system: 'Be brief.' }, 'params.system'],
  ['generate', { template: 'no place for it' }, 'params.template'],
  ['embed', { encoding_format: 'base64' }, 'params.encoding_format'],
] as const)('refuses %s params %j and names the field', (jobType, params, field) => {
  const run = () => endpointRequest(jobType, { payload: 'Hi', params });
  expect(run).toThrow(expect.objectContaining({ failure: 'permanent', code: 'invalid_params' }));
  expect(run).toThrow(field);
});

test.each([
  ['chat', 7, 'invalid_payload', 'payload'],
  ['chat', { text: 7 }, 'invalid_payload', 'payload.text'],
  ['chat', { messages: [] }, 'invalid_payload', 'payload.messages'],
  ['chat', { messages: [{ content: 'Hi' }] }, 'invalid_payload', 'payload.messages[0]'],
  ['generate', { messages: [{ role: 'user', content: 'Hi' }] }, 'invalid_payload', '"prompt" or "text"'],
  ['generate', { prompt: ' \n' }, 'empty_text', 'payload.prompt'],
  ['embed', { prompt: 'Hi' }, 'invalid_payload', '"text"'],
  ['embed', '', 'empty_text', 'payload'],
] as const)('refuses the %s payload %j as %s', (jobType, payload, code, field) => {
  const run = () => endpointRequest(jobType, { payload, params: {} });
  expect(run).toThrow(expect.objectContaining({ failure: 'permanent', code }));
  expect(run).toThrow(field);
});
