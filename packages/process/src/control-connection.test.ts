import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keyOf, refusePlainHttp, trustCertificates } from './control-connection.ts';

const fileOf = (text: string) => {
  const path = join(mkdtempSync(join(tmpdir(), 'macbatch-connection-')), 'file');
  writeFileSync(path, text);
  return path;
};

it('reads the key from its variable, or from a file without the newline', () => {
  expect(keyOf({})).toBeUndefined();
  expect(keyOf({ MACBATCH_KEY: 'mbk_1' })).toBe('mbk_1');
  expect(keyOf({ MACBATCH_KEY_FILE: fileOf('mbk_2\n') })).toBe('mbk_2');
  expect(() => keyOf({ MACBATCH_KEY_FILE: '/nowhere' })).toThrow(/MACBATCH_KEY_FILE: ENOENT/);
});

it.each(['https://control.example.org', 'http://localhost:7420', 'http://127.0.0.1', 'http://[::1]:1'])(
  'accepts %s',
  (url) => {
    expect(() => refusePlainHttp(url, {})).not.toThrow();
  },
);

it('refuses plain HTTP to another machine unless MACBATCH_ALLOW_HTTP allows it', () => {
  expect(() => refusePlainHttp('http://10.0.0.1:7420', {})).toThrow(/not encrypted.*MACBATCH_ALLOW_HTTP=1/);
  expect(() => refusePlainHttp('http://10.0.0.1:7420', { MACBATCH_ALLOW_HTTP: true })).not.toThrow();
});

it('names the variable of a certificate file that is missing or holds no certificate', () => {
  expect(() => trustCertificates({ MACBATCH_CA_FILE: '/nowhere' })).toThrow(/MACBATCH_CA_FILE: ENOENT/);
  expect(() => trustCertificates({ MACBATCH_CA_FILE: fileOf('no certificate') })).toThrow(
    /MACBATCH_CA_FILE: /,
  );
});
