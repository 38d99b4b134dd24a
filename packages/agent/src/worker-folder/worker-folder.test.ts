import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { purgeOutbox, workerFolder } from './worker-folder.ts';

const stateDir = () => mkdtempSync(join(tmpdir(), 'macbatch-worker-'));

it('W6: gives the folder to one owner, readable only by the user, and frees it on close', async () => {
  const dir = stateDir();
  const { outbox, dropped, close } = await workerFolder(dir, 'mac/1', 'boot-1');
  expect(dropped).toBe(0);
  expect(readdirSync(dir)).toEqual(['mac%2F1']);
  expect(statSync(join(dir, 'mac%2F1')).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, 'mac%2F1/outbox.jsonl')).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(dir, 'mac%2F1')).sort()).toEqual([
    'boots.json',
    'outbox.jsonl',
    'owner.pid',
    'running.jsonl',
  ]);
  expect(statSync(join(dir, 'mac%2F1/boots.json')).mode & 0o777).toBe(0o600);
  expect(outbox.unacknowledged('here')).toEqual([]);
  await close();
  expect(readdirSync(join(dir, 'mac%2F1')).sort()).toEqual(['boots.json', 'outbox.jsonl']);
});

it.each(['', '0', 'nonsense', '4194999 1 of a process that has ended'])(
  'W6: opens a folder whose owner file says "%s"',
  async (note) => {
    const dir = stateDir();
    await (await workerFolder(dir, 'a', 'boot-1')).close();
    writeFileSync(join(dir, 'a/owner.pid'), note);
    await (await workerFolder(dir, 'a', 'boot-1')).close();
  },
);

it('W6: opens a folder whose owner has exited when another program has its process id', async () => {
  const dir = stateDir();
  await (await workerFolder(dir, 'a', 'boot-1')).close();
  writeFileSync(join(dir, 'a/owner.pid'), `${process.ppid} then`);
  const folder = await workerFolder(dir, 'a', 'boot-1');
  expect(readFileSync(join(dir, 'a/owner.pid'), 'utf8')).toMatch(new RegExp(`^${process.pid} .+`));
  await folder.close();
});

it('W6: refuses to purge the outbox of an unknown worker, and names the known ones', async () => {
  const dir = stateDir();
  await expect(purgeOutbox(dir, 'b')).rejects.toThrow(`No worker b has run here. ${dir} is empty.`);
  await (await workerFolder(dir, 'a a', 'boot-1')).close();
  await expect(purgeOutbox(dir, 'b')).rejects.toThrow(
    'No worker b has run here. Workers of this machine: a a.',
  );
  expect(readdirSync(dir)).toEqual(['a%20a']);
});

it('W6: purges the outbox and its draft, and keeps the boots', async () => {
  const dir = stateDir();
  await (await workerFolder(dir, 'a', 'boot-1')).close();
  for (const name of ['outbox.jsonl', 'outbox.jsonl.new']) writeFileSync(join(dir, 'a', name), 'private');
  await purgeOutbox(dir, 'a');
  // The boots say nothing about anybody's items.
  expect(readdirSync(join(dir, 'a'))).toEqual(['boots.json']);
});
