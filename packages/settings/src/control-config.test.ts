import { expect, it } from 'vitest';
import { ControlConfig } from './control-config.ts';
import { readConfig } from './read-config.ts';

it.each([
  [{ MACBATCH_DATABASE_URL: 'mysql://h' }, 'MACBATCH_DATABASE_URL: must be a postgres:// URL'],
  [{ MACBATCH_PREPARE: 'no' }, 'MACBATCH_PREPARE: must be 0 or 1'],
  [{ MACBATCH_TRUST_PROXY: 'yes' }, 'MACBATCH_TRUST_PROXY: must be 0 or 1'],
  [{ MACBATCH_PORT: 'http' }, 'MACBATCH_PORT: must be a port'],
  [{ MACBATCH_PORT: '65536' }, 'MACBATCH_PORT: '],
  [{ MACBATCH_RENEWED_LEASE_SECONDS: '601' }, 'MACBATCH_RENEWED_LEASE_SECONDS: '],
  [{ MACBATCH_RENEWED_LEASE_SECONDS: 'long' }, 'MACBATCH_RENEWED_LEASE_SECONDS: must be a number of seconds'],
])('refuses %j and names the variable', (env, problem) => {
  expect(() => readConfig(ControlConfig, env)).toThrow(problem);
});
