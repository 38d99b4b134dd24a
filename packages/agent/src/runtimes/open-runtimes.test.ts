import { expect, test } from 'vitest';
import { openRuntimes, router } from './open-runtimes.ts';

const clock = { now: () => 0 };

test('the first runtime that offers a model runs it', async () => {
  const runtimes = openRuntimes(
    {
      endpoints: [
        { url: 'http://127.0.0.1:1/v1', models: { small: 'a' }, jobTypes: ['chat'] },
        { url: 'http://127.0.0.1:2/v1', models: { small: 'b', large: 'c' } },
      ],
      useLite: true,
      noop: true,
    },
    clock,
  );
  const routes = router(runtimes);
  expect(routes.runtimeFor({ job_type: 'chat', model: 'small' })?.name).toBe('openai-endpoint 127.0.0.1:1');
  expect(routes.runtimeFor({ job_type: 'embed', model: 'small' })?.name).toBe('openai-endpoint 127.0.0.1:2');
  expect(routes.runtimeFor({ job_type: 'classify', model: 'use-lite' })?.name).toBe('use-lite');
  expect(routes.runtimeFor({ job_type: 'chat', model: 'use-lite' })).toBeUndefined();
  expect(routes.offers().map(({ job_type, model }) => `${job_type} ${model}`)).toEqual([
    'chat small',
    'generate small',
    'embed small',
    'chat large',
    'generate large',
    'embed large',
    'embed use-lite',
    'classify use-lite',
    'noop noop',
  ]);
  await routes.close();
});

test('noop answers with a fixed output', async () => {
  const routes = router(openRuntimes({ endpoints: [], useLite: false, noop: true }, clock));
  expect(routes.offers()).toEqual([{ job_type: 'noop', model: 'noop' }]);
  const result = await routes.runtimeFor({ job_type: 'noop', model: 'noop' })?.run({
    job_type: 'noop',
    model: 'noop',
    params: {},
    payload: null,
    signal: new AbortController().signal,
  });
  expect(result).toEqual({ output: '{"ok":true}', model: { name: 'noop', digest: null }, usage: null });
});

test.each([
  ['file:///tmp', 'http or https'],
  ['no address', 'http or https'],
  ['http://me:secret@127.0.0.1/v1', 'password'],
])('the address %s is refused without being repeated', (url, why) => {
  const open = () => openRuntimes({ endpoints: [{ url, models: {} }], useLite: false, noop: false }, clock);
  expect(open).toThrow(why);
  expect(open).not.toThrow(/secret/);
});
