import { expect, it } from 'vitest';
import type { JobType } from './job-type.ts';
import { paramProblem } from './param-problem.ts';

const LABELS = { labels: ['spam', 'ham'] };

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
    expect(paramProblem(jobType, { user: 'u', [name]: value })).toMatchObject({ path: `params.${name}` });
  }
});

it.each<[JobType, Record<string, unknown>, string]>([
  ['classify', {}, 'params.labels'],
  ['classify', { labels: 'spam' }, 'params.labels'],
  ['classify', { labels: ['spam'] }, 'params.labels'],
  ['classify', { labels: { spam: 'advertising' } }, 'params.labels'],
  ['classify', { labels: ['spam', 'spam'] }, 'params.labels'],
  ['classify', { labels: ['spam', ' '] }, 'params.labels[1]'],
  ['classify', { labels: ['spam', 7] }, 'params.labels[1]'],
  ['classify', { labels: { spam: 'advertising', ham: null } }, 'params.labels["ham"]'],
  ['classify', { ...LABELS, temperature: 0 }, 'params.temperature'],
  ['classify', { ...LABELS, toString: 1 }, 'params.toString'],
  ['embed', { label: 'x' }, 'params.label'],
  ['embed', { system: 'x' }, 'params.system'],
  ['embed', { encoding_format: 'base64' }, 'params.encoding_format'],
  ['embed', { template: 'no placeholder' }, 'params.template'],
  ['generate', { template: '{{prompt}}' }, 'params.template'],
  ['generate', { system: 'You are brief.' }, 'params.system'],
  ['request', {}, 'params.endpoint'],
  ['request', { endpoint: '/v1/audio/speech' }, 'params.endpoint'],
  ['request', { endpoint: ['/v1/embeddings'] }, 'params.endpoint'],
  ['request', { endpoint: '/v1/embeddings', temperature: 0 }, 'params.temperature'],
  ['chat', { system: ['You are brief.'] }, 'params.system'],
  ['chat', { template: 7 }, 'params.template'],
])('A3: finds the problem of a %s job with the params %j', (jobType, params, path) => {
  expect(paramProblem(jobType, params)).toMatchObject({ path, problem: expect.any(String) });
});

it.each<[JobType, Record<string, unknown>]>([
  ['classify', LABELS],
  ['classify', { labels: { spam: 'advertising', ham: 'letters of friends' } }],
  ['embed', {}],
  ['request', { endpoint: '/v1/responses' }],
  ['embed', { dimensions: 256, encoding_format: 'float', user: 'u', template: 'query: {{text}}' }],
  ['embed', { stream: false, n: 1, encoding_format: null }],
  ['generate', { template: '{{text}}', best_of: 2 }],
  ['chat', { stream: false, n: 1, logprobs: true, top_logprobs: 2, toString: 1, constructor: 2 }],
  ['chat', { system: '', template: '{{text}}', any: { thing: [1] } }],
  ['noop', { stream: true, n: 3 }],
])('accepts a %s job with the params %j', (jobType, params) => {
  expect(paramProblem(jobType, params)).toBeNull();
});
