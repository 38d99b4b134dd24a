import { expect, it } from 'vitest';
import { controlEnv } from './local-pool.ts';

const pool = (workers: number, env: Readonly<Record<string, string>> = {}) =>
  controlEnv({ dataDir: '/data', env, port: 0, workers });

it('E: workers that share one machine make no copies, unless they are told to', () => {
  expect(pool(2)).toMatchObject({ MACBATCH_COPIES: 'off' });
  expect(pool(2, { MACBATCH_COPIES: 'on' })).toMatchObject({ MACBATCH_COPIES: 'on' });
});

it('E: a control plane whose workers are elsewhere makes copies, unless it is told not to', () => {
  expect(pool(0)).not.toHaveProperty('MACBATCH_COPIES');
  expect(pool(0, { MACBATCH_COPIES: 'off' })).toMatchObject({ MACBATCH_COPIES: 'off' });
});

it('a setting that is meant for another program is not handed on', () => {
  const env = pool(2, {
    PATH: '/bin',
    MACBATCH_ORDER: 'fifo',
    MACBATCH_CONCURRENCY: '3',
    MACBATCH_KEY: 'mbk_x',
  });
  expect(env).toMatchObject({ PATH: '/bin', MACBATCH_ORDER: 'fifo' });
  expect(env).not.toHaveProperty('MACBATCH_CONCURRENCY');
  expect(env).not.toHaveProperty('MACBATCH_KEY');
});
