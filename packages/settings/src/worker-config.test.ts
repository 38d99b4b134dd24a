import { expect, it } from 'vitest';
import { readConfig } from './read-config.ts';
import { WorkerConfig } from './worker-config.ts';

const read = (env: Record<string, string>) => readConfig(WorkerConfig, env);

it('needs no variable', () => {
  expect(read({})).toMatchObject({
    MACBATCH_CONCURRENCY: 8,
    MACBATCH_ENDPOINTS: [],
    MACBATCH_DISCOVER: true,
    MACBATCH_ALIASES: {},
    MACBATCH_USE_LITE: true,
    MACBATCH_NOOP: false,
  });
});

it('reads endpoints from a JSON array, and flags from 0 and 1', () => {
  const endpoint = { url: 'http://h/v1', models: { a: 'x' }, jobTypes: ['chat'], key: 'k' };
  expect(
    read({ MACBATCH_ENDPOINTS: JSON.stringify([endpoint]), MACBATCH_USE_LITE: '0', MACBATCH_NOOP: 'true' }),
  ).toMatchObject({ MACBATCH_ENDPOINTS: [endpoint], MACBATCH_USE_LITE: false, MACBATCH_NOOP: true });
});

it('reads where to look for model servers, and aliases', () => {
  expect(
    read({
      MACBATCH_DISCOVER_URLS: 'http://127.0.0.1:11500, http://127.0.0.1:1234/',
      MACBATCH_ALIASES: '{"qwen3":"qwen3:8b"}',
    }),
  ).toMatchObject({
    MACBATCH_DISCOVER_URLS: ['http://127.0.0.1:11500', 'http://127.0.0.1:1234'],
    MACBATCH_ALIASES: { qwen3: 'qwen3:8b' },
  });
});

it.each([
  [{ MACBATCH_ENDPOINTS: 'nonsense' }, 'MACBATCH_ENDPOINTS: must be a JSON array of endpoints'],
  [{ MACBATCH_ENDPOINTS: '{}' }, 'MACBATCH_ENDPOINTS: '],
  [{ MACBATCH_ENDPOINTS: '[{"models":{}}]' }, 'MACBATCH_ENDPOINTS.0.url: needs a url'],
  [
    { MACBATCH_ENDPOINTS: JSON.stringify([{ url: 'http://h', models: { ['a'.repeat(201)]: 'x' } }]) },
    'MACBATCH_ENDPOINTS.0.models: an alias has 1 to 200 characters',
  ],
  [{ MACBATCH_ALIASES: '[]' }, 'MACBATCH_ALIASES: must be a JSON object: alias to model name'],
  [{ MACBATCH_ALIASES: '{"":"x"}' }, 'MACBATCH_ALIASES: an alias has 1 to 200 characters'],
  [{ MACBATCH_DISCOVER_URLS: 'http://a:1,localhost' }, 'MACBATCH_DISCOVER_URLS: must be addresses such as'],
  [{ MACBATCH_DISCOVER_URLS: 'http://a:1/v1' }, 'MACBATCH_DISCOVER_URLS: must be addresses such as'],
  [{ MACBATCH_WORKER_ID: 'my mac' }, 'MACBATCH_WORKER_ID: must be printable ASCII'],
  [{ MACBATCH_CONCURRENCY: 'many' }, 'MACBATCH_CONCURRENCY: must be a number of items'],
  [{ MACBATCH_HEARTBEAT_SECONDS: '0' }, 'MACBATCH_HEARTBEAT_SECONDS: must be at least 0.1'],
  [{ MACBATCH_USE_LITE: 'yes' }, 'MACBATCH_USE_LITE: must be 0 or 1'],
  [{ MACBATCH_CONTROL_URL: 'here' }, 'MACBATCH_CONTROL_URL: must be the URL of a control plane'],
])('refuses %j and names the variable', (env, problem) => {
  expect(() => read(env)).toThrow(problem);
});
