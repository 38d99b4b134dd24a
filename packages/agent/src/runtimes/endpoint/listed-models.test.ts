import { expect, test } from 'vitest';
import { listsModel, ollamaDigest } from './listed-models.ts';

const DIGEST = '0a8c266910232fd3291e71e5ba1e058cc5af9d411192cf88b6d30e92b6e73163';

test('finds a model by its name, with or without Ollama’s tag', () => {
  const list = { object: 'list', data: [{ id: 'llama3.2:latest' }, { id: 'qwen3:8b' }] };
  expect(listsModel(list, 'llama3.2')).toBe(true);
  expect(listsModel(list, 'qwen3:8b')).toBe(true);
  expect(listsModel(list, 'qwen3')).toBe(false);
  expect(listsModel({ error: 'no' }, 'qwen3')).toBeUndefined();
});

test('reads a digest from Ollama’s tags, and null where there is none', () => {
  const tags = {
    models: [
      { name: 'llama3.2:latest', model: 'llama3.2:latest', digest: DIGEST },
      { name: 'x', digest: '' },
    ],
  };
  expect(ollamaDigest(tags, 'llama3.2')).toBe(`sha256:${DIGEST}`);
  expect(ollamaDigest(tags, 'x')).toBeNull();
  expect(ollamaDigest(tags, 'y')).toBeNull();
  expect(ollamaDigest(undefined, 'y')).toBeNull();
});
