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

const KEY = `mbk_0123456789abcdef_${'x'.repeat(43)}`;

it('reads the key from its variable, or from a file that may hold a banner too', () => {
  expect(keyOf({})).toBeUndefined();
  expect(keyOf({ MACBATCH_KEY: `${KEY}\n` })).toBe(KEY);
  expect(keyOf({ MACBATCH_KEY_FILE: fileOf(`${KEY}\n`) })).toBe(KEY);
  expect(keyOf({ MACBATCH_KEY_FILE: fileOf(`> macbatch keys create\n\n${KEY}\n`) })).toBe(KEY);
});

it.each([
  ['a variable with a banner', { MACBATCH_KEY: `> macbatch\n${KEY}` }, 'MACBATCH_KEY: is not a key'],
  ['a variable with half a key', { MACBATCH_KEY: KEY.slice(0, 40) }, 'MACBATCH_KEY: is not a key'],
  [
    'a file name that is a key',
    { MACBATCH_KEY_FILE: KEY },
    'MACBATCH_KEY_FILE: the file cannot be read (ENOENT)',
  ],
  [
    'a file with two keys',
    { MACBATCH_KEY_FILE: fileOf(`${KEY}\n${KEY.replace('01', '98')}`) },
    'must contain one key',
  ],
  ['a file without a key', { MACBATCH_KEY_FILE: fileOf('mbk_secret') }, 'must contain one key'],
])('refuses %s without echoing it', (_what, env, message) => {
  expect(() => keyOf(env)).toThrow(message);
  expect(() => keyOf(env)).not.toThrow(/xxxx|secret/);
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
  expect(() => trustCertificates({ MACBATCH_CA_FILE: '/nowhere' })).toThrow(/MACBATCH_CA_FILE: .*ENOENT/);
  expect(() => trustCertificates({ MACBATCH_CA_FILE: fileOf('no certificate') })).toThrow(
    /MACBATCH_CA_FILE: /,
  );
});
