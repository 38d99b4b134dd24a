import { PassThrough } from 'node:stream';
import type { JobExplanation } from '@macbatch/contract';
import { expect, it } from 'vitest';
import { giveUpOnLastingTrouble } from './lasting-trouble.ts';

const TROUBLE = {
  worker_id: 'a',
  job_type: 'chat',
  model: 'm',
  endpoint: 'openai-endpoint here',
  code: 'unauthorized',
  message: 'the model server answered 401: Incorrect API key provided',
  since_seconds: 31,
  next_try_seconds: 5,
  needs_attention: true,
};
const explanation = (...troubles: JobExplanation['troubles']) =>
  ({ waits_for: 'waiting_for_worker', troubles }) as const;

const watching = () => {
  const stderr = new PassThrough();
  const check = giveUpOnLastingTrouble({ stderr });
  return { check, said: () => String(stderr.read() ?? '') };
};

it('announces once that it will stop', () => {
  const { check, said } = watching();
  for (const since_seconds of [1, 2]) check(explanation({ ...TROUBLE, since_seconds }));
  expect(said()).toBe('this command stops if the trouble lasts for 30 s\n');
});

it('throws an error with the message of the server', () => {
  expect(() => watching().check(explanation(TROUBLE))).toThrow(
    /401: Incorrect API key provided\nGive the worker/,
  );
});

it.each([
  ['a trouble that is new', explanation({ ...TROUBLE, since_seconds: 29 })],
  ['a server that may come back', explanation({ ...TROUBLE, needs_attention: false })],
  ['another worker that may go on', explanation(TROUBLE, { ...TROUBLE, needs_attention: false })],
  ['no trouble', explanation()],
  ['a job that runs', { ...explanation(TROUBLE), waits_for: 'running' as const }],
])('goes on with %s', (_what, waits) => {
  expect(() => watching().check(waits)).not.toThrow();
});
