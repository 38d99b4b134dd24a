import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { LogFollower } from './log-follower.ts';
import { newestLines } from './log-lines.ts';

it('reads complete new lines, also across a full file', async () => {
  const path = join(testFolder(), 'worker.log');
  writeFileSync(path, 'old\n');
  const log = await LogFollower.atEnd(path);
  appendFileSync(path, 'one\ntw');
  expect(await log.read()).toEqual(['one']);
  appendFileSync(path, 'o\nthree\n');
  renameSync(path, `${path}.1`);
  writeFileSync(path, 'four\n');
  expect(await log.read()).toEqual(['two', 'three', 'four']);
  expect(await log.read()).toEqual([]);
  await log.close();
  expect(await newestLines(path, 3)).toEqual(['two', 'three', 'four']);
});

it('waits for a file that does not exist yet', async () => {
  const path = join(testFolder(), 'worker.log');
  const log = await LogFollower.atEnd(path);
  expect(await log.read()).toEqual([]);
  writeFileSync(path, 'first\n');
  expect(await log.read()).toEqual(['first']);
  await log.close();
});
