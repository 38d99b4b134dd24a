import { expect, it } from 'vitest';
import type { FoundModel } from './found-model.ts';
import { offeredNames, offersOf } from './offered-names.ts';

const models: readonly FoundModel[] = ['llama3:latest', 'qwen3:8b'].map((name) => ({
  name,
  jobTypes: ['chat'],
  loaded: null,
  contextLength: null,
}));

const named = (aliases: Readonly<Record<string, string>>) =>
  [...offeredNames(models, aliases)].map(([name, model]) => `${name} = ${model.name}`);

it('offers models under their own names, without :latest, and under aliases', () => {
  expect(named({ small: 'llama3', qwen3: 'qwen3:8b', big: 'not-here' })).toEqual([
    'small = llama3:latest',
    'qwen3 = qwen3:8b',
    'llama3:latest = llama3:latest',
    'qwen3:8b = qwen3:8b',
    'llama3 = llama3:latest',
  ]);
});

it('prefers an alias to the model of that name', () => {
  expect(named({ 'qwen3:8b': 'llama3' })).toContain('qwen3:8b = llama3:latest');
});

it('offers each name for its job types and their raw requests', () => {
  expect(offersOf(offeredNames(models.slice(1), {}))).toEqual(
    ['chat', 'request:/v1/chat/completions', 'request:/v1/responses', 'request:/v1/messages'].map(
      (job_type) => ({ job_type, model: 'qwen3:8b' }),
    ),
  );
});
