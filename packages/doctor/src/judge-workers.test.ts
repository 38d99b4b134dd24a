import { expect, it } from 'vitest';
import { judgeWorkers } from './judge-workers.ts';

const TROUBLE = {
  job_type: 'chat',
  model: 'm',
  endpoint: 'openai-endpoint here',
  code: 'server_unreachable',
  message: 'the model server here is not reachable (ECONNREFUSED)',
  since_seconds: 61.5,
  next_try_seconds: 2,
  needs_attention: false,
};

it('shows the errors of model servers once for each worker', () => {
  const troubles = [TROUBLE, { ...TROUBLE, job_type: 'embed' }];
  expect(judgeWorkers([{ worker_id: 'a', alive: true, troubles }])).toMatchObject([
    {
      state: 'fail',
      found: 'a cannot run chat with m for 61 s: the model server here is not reachable (ECONNREFUSED)',
      fix: 'Start the model server, or correct its URL.',
    },
  ]);
});

it('leaves out workers that are not alive', () => {
  expect(judgeWorkers([{ worker_id: 'a', alive: false, troubles: [TROUBLE] }])).toMatchObject([
    { state: 'ok' },
  ]);
});

it('only warns of a server that wants fewer requests', () => {
  const troubles = [{ ...TROUBLE, code: 'rate_limited' }];
  expect(judgeWorkers([{ worker_id: 'a', alive: true, troubles }])).toMatchObject([{ state: 'warn' }]);
});
