import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addBoot } from './former-boots.ts';

const file = () => join(mkdtempSync(join(tmpdir(), 'macbatch-boots-')), 'boots.json');

it('W8: returns the former boots until they are forgotten', async () => {
  const path = file();
  expect((await addBoot(path, 'a')).former).toEqual([]);
  const b = await addBoot(path, 'b');
  expect(b.former).toEqual(['a']);
  expect((await addBoot(path, 'c')).former).toEqual(['a', 'b']);
  await b.forget();
  expect((await addBoot(path, 'd')).former).toEqual(['b']);
});

it('W8: remembers no more boots than a heartbeat may name', async () => {
  const path = file();
  for (let n = 0; n < 20; n += 1) await addBoot(path, `boot-${n}`);
  const { former } = await addBoot(path, 'last');
  expect(former).toHaveLength(15);
  expect(former.at(-1)).toBe('boot-19');
});

it.each(['', '[', '{"a":1}', '[7]'])('W8: treats a file with the text %j as empty', async (text) => {
  const path = file();
  writeFileSync(path, text);
  expect((await addBoot(path, 'b')).former).toEqual([]);
  expect(readFileSync(path, 'utf8')).toBe('["b"]');
});

it('W8: starts even when the file cannot be written', async () => {
  const { former, forget } = await addBoot(join(file(), 'not-a-folder', 'boots.json'), 'b');
  await forget();
  expect(former).toEqual([]);
});
