import { ControlConfig, readConfig } from '@macbatch/settings';
import { expect, it } from 'vitest';
import { databaseOf, limitsOf } from './config.ts';

const read = (env: Record<string, string>) => readConfig(ControlConfig, env);

it('databaseOf: reads the URL, or the folder of an embedded database', () => {
  expect(databaseOf(read({ MACBATCH_DATABASE_URL: 'postgres://h/db' }))).toEqual({ url: 'postgres://h/db' });
  expect(databaseOf(read({ MACBATCH_DATA_DIR: '/data' }))).toEqual({ dataDir: '/data' });
  expect(() => databaseOf(read({}))).toThrow(/Set MACBATCH_DATABASE_URL/);
  expect(() =>
    databaseOf(read({ MACBATCH_DATABASE_URL: 'postgres://h', MACBATCH_DATA_DIR: '/data' })),
  ).toThrow(/not both/);
});

it('limitsOf: reads sizes in megabytes', () => {
  expect(limitsOf(read({ MACBATCH_MAX_JSON_MB: '2', MACBATCH_MAX_LINE_MB: '1' }))).toMatchObject({
    maxJsonBytes: 2 * 1024 * 1024,
    maxLineBytes: 1024 * 1024,
  });
});
