import { expect, it } from 'vitest';
import { noop } from './noop.ts';

const request = (payload: unknown, signal = new AbortController().signal) => ({
  job_type: 'noop' as const,
  model: 'noop',
  params: {},
  payload,
  payloadText: JSON.stringify(payload),
  signal,
});

it.each([null, 'text', {}, { ms: 0 }, { ms: 1 }])('answers any payload: %j', async (payload) => {
  expect(await noop().run(request(payload))).toMatchObject({
    output: '{"ok":true}',
    model: { name: 'noop' },
  });
});

it.each([{ ms: -1 }, { ms: 'long' }, { ms: 1e9 }, { ms: null }])(
  'fails an item whose pause is not valid: %j',
  async (payload) => {
    await expect(noop().run(request(payload))).rejects.toMatchObject({
      failure: 'permanent',
      code: 'invalid_payload',
    });
  },
);

it('ends a pause with the reason of the signal', async () => {
  const abort = new AbortController();
  const running = noop().run(request({ ms: 600_000 }, abort.signal));
  abort.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
});

it('refuses any other job type', async () => {
  const chat = { ...request(null), job_type: 'chat' as const };
  await expect(noop().run(chat)).rejects.toMatchObject({ failure: 'not_here', code: 'not_supported' });
});

it('returns the number of the payload', async () => {
  expect(await noop().run(request({ n: 7 }))).toMatchObject({ output: '{"ok":true,"n":7}' });
});
