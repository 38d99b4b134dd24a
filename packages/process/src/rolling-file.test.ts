import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { openRollingFile, rolledFiles } from './rolling-file.ts';

const LIMITS = { maxBytes: 10, files: 3 };

it('keeps the newest lines in files of limited size, readable only by this user', () => {
  const path = join(testFolder(), 'logs', 'worker.log');
  const write = openRollingFile(path, LIMITS);
  for (let n = 0; n < 9; n += 1) write(`${n}---\n`);
  expect(rolledFiles(path, LIMITS).map((file) => readFileSync(file, 'utf8'))).toEqual([
    '8---\n',
    '6---\n7---\n',
    '4---\n5---\n',
  ]);
  expect(existsSync(`${path}.3`)).toBe(false);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('counts what an earlier process has written, and writes a line that is longer than a file', () => {
  const path = join(testFolder(), 'worker.log');
  openRollingFile(path, LIMITS)('12345\n');
  const write = openRollingFile(path, LIMITS);
  write('a line that is too long\n');
  write('next\n');
  expect(rolledFiles(path, LIMITS).map((file) => readFileSync(file, 'utf8'))).toEqual([
    'next\n',
    'a line that is too long\n',
    '12345\n',
  ]);
});

it('does not throw when the file cannot be written', () => {
  expect(() => openRollingFile('/dev/null/worker.log')('line\n')).not.toThrow();
});
