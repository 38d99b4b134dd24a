import { expect, it } from 'vitest';
import { readConfig } from './read-config.ts';
import { WorkerConfig } from './worker-config.ts';

const read = (env: Record<string, string>) => readConfig(WorkerConfig, env);

it('needs no variable', () => {
  expect(read({})).toMatchObject({
    MACBATCH_CONCURRENCY: 8,
    MACBATCH_ENDPOINTS: [],
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

it.each([
  [{ MACBATCH_ENDPOINTS: 'nonsense' }, 'MACBATCH_ENDPOINTS: must be a JSON array of endpoints'],
  [{ MACBATCH_ENDPOINTS: '{}' }, 'MACBATCH_ENDPOINTS: '],
  [{ MACBATCH_ENDPOINTS: '[{"models":{}}]' }, 'MACBATCH_ENDPOINTS.0.url: needs a url'],
  [
    { MACBATCH_ENDPOINTS: JSON.stringify([{ url: 'http://h', models: { ['a'.repeat(201)]: 'x' } }]) },
    'MACBATCH_ENDPOINTS.0.models: an alias has 1 to 200 characters',
  ],
  [{ MACBATCH_WORKER_ID: 'my mac' }, 'MACBATCH_WORKER_ID: must be printable ASCII'],
  [{ MACBATCH_CONCURRENCY: 'many' }, 'MACBATCH_CONCURRENCY: must be a number of items'],
  [{ MACBATCH_HEARTBEAT_SECONDS: '0' }, 'MACBATCH_HEARTBEAT_SECONDS: must be at least 0.1'],
  [{ MACBATCH_USE_LITE: 'yes' }, 'MACBATCH_USE_LITE: must be 0 or 1'],
  [{ MACBATCH_CONTROL_URL: 'here' }, 'MACBATCH_CONTROL_URL: must be the URL of a control plane'],
])('refuses %j and names the variable', (env, problem) => {
  expect(() => read(env)).toThrow(problem);
});
