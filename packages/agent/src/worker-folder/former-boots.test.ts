import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { noteBoot } from './former-boots.ts';

const file = () => join(mkdtempSync(join(tmpdir(), 'macbatch-boots-')), 'boots.json');

it('a boot knows those before it, until what they held was taken back', async () => {
  const path = file();
  expect((await noteBoot(path, 'a')).former).toEqual([]);
  const b = await noteBoot(path, 'b');
  expect(b.former).toEqual(['a']);
  expect((await noteBoot(path, 'c')).former).toEqual(['a', 'b']);
  await b.forget();
  expect((await noteBoot(path, 'd')).former).toEqual(['b']);
});

it('no more are remembered than one heartbeat may tell', async () => {
  const path = file();
  for (let n = 0; n < 20; n += 1) await noteBoot(path, `boot-${n}`);
  const { former } = await noteBoot(path, 'last');
  expect(former).toHaveLength(15);
  expect(former.at(-1)).toBe('boot-19');
});

it.each(['', '[', '{"a":1}', '[7]'])('a record that reads %j counts as none', async (text) => {
  const path = file();
  writeFileSync(path, text);
  expect((await noteBoot(path, 'b')).former).toEqual([]);
  expect(readFileSync(path, 'utf8')).toBe('["b"]');
});

it('where nothing can be written a worker starts all the same', async () => {
  const { former, forget } = await noteBoot(join(file(), 'not-a-folder', 'boots.json'), 'b');
  await forget();
  expect(former).toEqual([]);
});
