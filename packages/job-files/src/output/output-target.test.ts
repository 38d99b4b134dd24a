import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '@macbatch/terminal';
import { testFolder } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { outputTarget } from './output-target.ts';

/** A folder with an input file and other names for it. */
function folderWithInput() {
  const folder = testFolder();
  const at = (name: string) => join(folder, name);
  writeFileSync(at('in.jsonl'), '"a"\n');
  symlinkSync('in.jsonl', at('link-to-input'));
  linkSync(at('in.jsonl'), at('hard-link-to-input'));
  return { at, input: at('in.jsonl'), names: () => readdirSync(folder).toSorted() };
}

it.each(['in.jsonl', './in.jsonl', 'link-to-input', 'hard-link-to-input'])(
  'refuses %s as the output when it is the input file',
  async (name) => {
    const { at, input } = folderWithInput();
    await expect(outputTarget(at(name), [input])).rejects.toThrow('is the input file');
    await expect(outputTarget(at(name), [input])).rejects.toBeInstanceOf(Failure);
  },
);

it('refuses a folder, a file below a missing folder and a name that is too long, and leaves nothing behind', async () => {
  const { at, input, names } = folderWithInput();
  mkdirSync(at('folder'));
  const before = names();
  await expect(outputTarget(at('folder'), [input])).rejects.toThrow('is a folder');
  await expect(outputTarget(at('missing/out'), [input])).rejects.toThrow('there is no folder');
  await expect(outputTarget(at('x'.repeat(255)), [input])).rejects.toThrow('ENAMETOOLONG');
  await expect(outputTarget(at('out'), [input])).resolves.toMatchObject({ kind: 'file', path: at('out') });
  expect(names()).toEqual(before);
});

it('follows links to a file that exists, and to one that does not exist yet', async () => {
  const { at, input } = folderWithInput();
  writeFileSync(at('old'), 'old');
  symlinkSync('old', at('link-to-old'));
  symlinkSync('new', at('link-to-new'));
  symlinkSync('link-to-new', at('link-to-link'));
  await expect(outputTarget(at('link-to-old'), [input])).resolves.toMatchObject({ path: at('old') });
  await expect(outputTarget(at('link-to-new'), [input])).resolves.toMatchObject({ path: at('new') });
  await expect(outputTarget(at('link-to-link'), [input])).resolves.toMatchObject({ path: at('new') });
});

it('writes to pipes, devices and descriptors as they are', async () => {
  const { at, input } = folderWithInput();
  execFileSync('mkfifo', [at('pipe')]);
  symlinkSync('/dev/null', at('link-to-device'));
  for (const path of [at('pipe'), '/dev/null', at('link-to-device'), '/dev/stdout', '/dev/fd/1'])
    await expect(outputTarget(path, [input])).resolves.toEqual({ kind: 'special', path });
});

it('refuses an input that is its draft', async () => {
  const { at } = folderWithInput();
  for (const name of ['out.part', 'out.part.json']) {
    writeFileSync(at(name), '"input"\n');
    await expect(outputTarget(at('out'), [at(name)])).rejects.toThrow('which is the input file');
  }
});
