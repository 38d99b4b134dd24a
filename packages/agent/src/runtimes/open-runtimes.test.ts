import { expect, test } from 'vitest';
import { PAUSES } from '../worker/pauses.ts';
import { offeredNow, runtimeFor } from '../worker/work-wanted.ts';
import { initialState } from '../worker/worker-state.ts';
import { openRuntimes } from './open-runtimes.ts';
import type { Offer, Runtime } from './runtime.ts';

const clock = { now: () => 0 };

/** A worker with these runtimes. */
const workerWith = (runtimes: readonly Runtime[]) =>
  initialState({
    workerId: 'a',
    slots: 1,
    heartbeatMs: 1,
    reportMs: 1,
    runtimes: runtimes.map(({ name, offers }) => ({ name, offers, remote: false })),
    pauses: PAUSES,
    afterCrash: false,
    crashedItems: [],
    hasFormerBoots: false,
  });

test('runs a model on the first runtime that offers it, and lists each offer once', async () => {
  const runtimes = openRuntimes(
    {
      endpoints: [
        { url: 'http://127.0.0.1:1/v1', models: { small: 'a' }, jobTypes: ['chat'] },
        { url: 'http://127.0.0.1:2/v1', models: { small: 'b', large: 'c' } },
      ],
      discovery: null,
      useLite: true,
      noop: true,
    },
    clock,
  );
  const worker = workerWith(runtimes);
  const nameFor = (offer: Offer) => runtimes[runtimeFor(worker, offer, 0) ?? -1]?.name;
  expect(nameFor({ job_type: 'chat', model: 'small' })).toBe('openai-endpoint 127.0.0.1:1');
  expect(nameFor({ job_type: 'embed', model: 'small' })).toBe('openai-endpoint 127.0.0.1:2');
  expect(nameFor({ job_type: 'classify', model: 'use-lite' })).toBe('use-lite');
  expect(nameFor({ job_type: 'chat', model: 'use-lite' })).toBeUndefined();
  expect(offeredNow(worker, 0).map(({ job_type, model }) => `${job_type} ${model}`)).toEqual([
    'chat small',
    'request:/v1/chat/completions small',
    'request:/v1/responses small',
    'request:/v1/messages small',
    'generate small',
    'embed small',
    'request:/v1/completions small',
    'request:/v1/embeddings small',
    'chat large',
    'generate large',
    'embed large',
    'request:/v1/chat/completions large',
    'request:/v1/completions large',
    'request:/v1/embeddings large',
    'request:/v1/responses large',
    'request:/v1/messages large',
    'embed use-lite',
    'classify use-lite',
    'noop noop',
  ]);
  await Promise.all(runtimes.map((runtime) => runtime.close()));
});

test('opens noop, with a fixed output', async () => {
  const runtimes = openRuntimes({ endpoints: [], discovery: null, useLite: false, noop: true }, clock);
  expect(offeredNow(workerWith(runtimes), 0)).toEqual([{ job_type: 'noop', model: 'noop' }]);
  const result = await runtimes[0]?.run({
    job_type: 'noop',
    model: 'noop',
    params: {},
    payload: null,
    payloadText: 'null',
    signal: new AbortController().signal,
  });
  expect(result).toEqual({ output: '{"ok":true}', model: { name: 'noop', digest: null }, usage: null });
});

test.each([
  ['file:///tmp', 'http:// or https://'],
  ['not a URL', 'http:// or https://'],
  ['http://me:secret@127.0.0.1/v1', 'password'],
])('refuses the URL %s without repeating it', (url, why) => {
  const open = () =>
    openRuntimes({ endpoints: [{ url, models: {} }], discovery: null, useLite: false, noop: false }, clock);
  expect(open).toThrow(why);
  expect(open).not.toThrow(/secret/);
});
