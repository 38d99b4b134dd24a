import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { invitationLine } from './invitation-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'macbatch-invitation-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a program that records its arguments and the token that it sees. */
function fakeProgram(bin: string, name: string, then = ''): void {
  const text = `#!/bin/sh\nprintf '%s|' ${name} "$@" "token=$MACBATCH_JOIN_TOKEN" >> "${folder}/calls"; echo >> "${folder}/calls"\n${then}\n`;
  writeFileSync(join(bin, name), text);
  chmodSync(join(bin, name), 0o755);
}

/** macOS has sed only in /usr/bin. */
const pathOf = (name: string) => [`/bin/${name}`, `/usr/bin/${name}`].find(existsSync) ?? name;

/** Runs the line as a shell would, with these programs on the PATH only. */
function pasted(line: string, programs: readonly string[]) {
  const bin = mkdtempSync(join(folder, 'bin-'));
  rmSync(join(folder, 'calls'), { force: true });
  for (const name of programs)
    fakeProgram(
      bin,
      name,
      name === 'npm' ? `cp "$0" "${bin}/macbatch"; sed -i.old 's/npm/macbatch/' "${bin}/macbatch"` : '',
    );
  for (const name of ['sh', 'cp', 'sed']) symlinkSync(pathOf(name), join(bin, name));
  execFileSync('/bin/sh', ['-c', line], { env: { PATH: bin }, stdio: 'pipe' });
  return readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n');
}

const INVITATION = { url: 'https://pool.example.org', token: 'mbj_abc' };

it('installs macbatch where it is missing, joins, and installs the service; only join sees the token', () => {
  expect(pasted(invitationLine(INVITATION), ['npm'])).toEqual([
    'npm|install|--global|macbatch|token=|',
    'macbatch|worker|join|https://pool.example.org|token=mbj_abc|',
    'macbatch|worker|install|token=|',
  ]);
  expect(pasted(invitationLine(INVITATION), ['npm', 'macbatch'])).toHaveLength(2);
});

it('quotes the name of the only worker', () => {
  const workerId = `ann's "mac" $(touch x) \\ ; &`;
  expect(pasted(invitationLine({ ...INVITATION, workerId }), ['npm', 'macbatch'])).toEqual([
    `macbatch|worker|join|https://pool.example.org|--id|${workerId}|token=mbj_abc|`,
    `macbatch|worker|install|--id|${workerId}|token=|`,
  ]);
});

it('says what to install where npm is missing', () => {
  expect(() => pasted(invitationLine(INVITATION), ['macbatch'])).toThrow(/install Node/);
});

it('allows plain HTTP only where the pool has no TLS', () => {
  const allows = (url: string) => invitationLine({ ...INVITATION, url }).includes('MACBATCH_ALLOW_HTTP=1');
  expect(['http://192.168.1.2:7420', 'http://localhost:7420', 'https://pool'].map(allows)).toEqual([
    true,
    false,
    false,
  ]);
});
