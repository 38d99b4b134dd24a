import { readConfig } from '@macbatch/process';
import { expect, it } from 'vitest';
import { ControlConfig, databaseOf, limitsOf } from './config.ts';

const read = (env: Record<string, string>) => readConfig(ControlConfig, env);

it('a database is named by its URL or by the folder of an embedded one', () => {
  expect(databaseOf(read({ MACBATCH_DATABASE_URL: 'postgres://h/db' }))).toEqual({ url: 'postgres://h/db' });
  expect(databaseOf(read({ MACBATCH_DATA_DIR: '/data' }))).toEqual({ dataDir: '/data' });
  expect(() => databaseOf(read({}))).toThrow(/Set MACBATCH_DATABASE_URL/);
  expect(() =>
    databaseOf(read({ MACBATCH_DATABASE_URL: 'postgres://h', MACBATCH_DATA_DIR: '/data' })),
  ).toThrow(/not both/);
});

it('sizes are given in megabytes', () => {
  expect(limitsOf(read({ MACBATCH_MAX_JSON_MB: '2', MACBATCH_MAX_LINE_MB: '1' }))).toMatchObject({
    maxJsonBytes: 2 * 1024 * 1024,
    maxLineBytes: 1024 * 1024,
  });
});

it.each([
  [{ MACBATCH_DATABASE_URL: 'mysql://h' }, 'MACBATCH_DATABASE_URL: must be a postgres:// URL'],
  [{ MACBATCH_PREPARE: 'no' }, 'MACBATCH_PREPARE: must be 0 or 1'],
  [{ MACBATCH_TRUST_PROXY: 'yes' }, 'MACBATCH_TRUST_PROXY: must be 0 or 1'],
  [{ MACBATCH_PORT: 'http' }, 'MACBATCH_PORT: must be a port'],
  [{ MACBATCH_PORT: '65536' }, 'MACBATCH_PORT: '],
  [{ MACBATCH_RENEWED_LEASE_SECONDS: '601' }, 'MACBATCH_RENEWED_LEASE_SECONDS: '],
  [{ MACBATCH_RENEWED_LEASE_SECONDS: 'long' }, 'MACBATCH_RENEWED_LEASE_SECONDS: must be a number of seconds'],
])('%j is told by its name', (env, problem) => {
  expect(() => read(env)).toThrow(problem);
});
