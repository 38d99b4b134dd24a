import { mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readMembership, writeMembership } from './membership.ts';

it('saves a membership for one worker, in a file that only the user can read', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'macbatch-membership-'));
  const membership = { url: 'https://control.example.org', key: 'mbk_1' };
  expect(await readMembership(dir, 'mac/1')).toBeNull();
  const path = await writeMembership(dir, 'mac/1', membership);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readMembership(dir, 'mac/1')).toEqual(membership);
  expect(await readMembership(dir, 'mac/2')).toBeNull();
});

it('names the path of a damaged file and never its content', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'macbatch-membership-'));
  const path = await writeMembership(dir, 'a', { url: 'u', key: 'mbk_secret' });
  await writeFile(path, '{"url":"u","key":"mbk_sec');
  const read = readMembership(dir, 'a');
  await expect(read).rejects.toThrow(`${path} is damaged`);
  await expect(read).rejects.not.toThrow(/mbk_sec/);
});
