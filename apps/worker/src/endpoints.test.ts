import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig, WorkerConfig } from '@macbatch/settings';
import { testFolder } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { endpointsOf } from './endpoints.ts';

const read = (endpoint: object, env: Record<string, string> = {}) =>
  endpointsOf(
    readConfig(WorkerConfig, {
      MACBATCH_ENDPOINTS: JSON.stringify([{ url: 'http://h/v1', models: { a: 'x' }, ...endpoint }]),
      ...env,
    }),
  );

it('joins the headers of an endpoint with those of its file', () => {
  const headersFile = join(testFolder(), 'headers');
  writeFileSync(headersFile, '# from the vault\nAPI-Key: s3cret\n\nx-b: 2\n');
  expect(read({ headers: { 'x-a': '1' }, headersFile })).toMatchObject([
    { headers: { 'x-a': '1', 'API-Key': 's3cret', 'x-b': '2' } },
  ]);
});

it('names a file that cannot be read, and a line that is no header, without its text', () => {
  const headersFile = join(testFolder(), 'headers');
  expect(() => read({ headersFile })).toThrow(/MACBATCH_ENDPOINTS\.0\.headersFile: ENOENT/);
  writeFileSync(headersFile, 'a: 1\ns3cret\n');
  expect(() => read({ headersFile })).toThrow(
    /MACBATCH_ENDPOINTS\.0\.headersFile: line 2 is not "Name: value"$/m,
  );
});

it('takes the proxies from the environment', () => {
  const env = { HTTP_PROXY: 'http://p:1', NO_PROXY: 'mac.local' };
  expect(read({}, env)).toMatchObject([{ proxies: { http: 'http://p:1', none: 'mac.local' } }]);
});
