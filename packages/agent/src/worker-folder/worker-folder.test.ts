import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { purgeOutbox, workerFolder } from './worker-folder.ts';

const stateDir = () => mkdtempSync(join(tmpdir(), 'macbatch-worker-'));

it('W6: the folder of a worker is its owner’s alone and holds no owner once it is closed', async () => {
  const dir = stateDir();
  const { outbox, dropped, close } = await workerFolder(dir, 'mac/1', 'boot-1');
  expect(dropped).toBe(0);
  expect(readdirSync(dir)).toEqual(['mac%2F1']);
  expect(statSync(join(dir, 'mac%2F1')).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, 'mac%2F1/outbox.jsonl')).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(dir, 'mac%2F1')).sort()).toEqual(['boots.json', 'outbox.jsonl', 'owner.pid']);
  expect(statSync(join(dir, 'mac%2F1/boots.json')).mode & 0o777).toBe(0o600);
  expect(outbox.unacknowledged('here')).toEqual([]);
  await close();
  expect(readdirSync(join(dir, 'mac%2F1')).sort()).toEqual(['boots.json', 'outbox.jsonl']);
});

it.each(['', '0', 'nonsense', '4194999 1 of a process that has ended'])(
  'an owner’s note that reads "%s" keeps nobody out',
  async (note) => {
    const dir = stateDir();
    await (await workerFolder(dir, 'a', 'boot-1')).close();
    writeFileSync(join(dir, 'a/owner.pid'), note);
    await (await workerFolder(dir, 'a', 'boot-1')).close();
  },
);

it('W6: after a reboot another program may have the process id that the owner had', async () => {
  const dir = stateDir();
  await (await workerFolder(dir, 'a', 'boot-1')).close();
  writeFileSync(join(dir, 'a/owner.pid'), `${process.ppid} then`);
  const folder = await workerFolder(dir, 'a', 'boot-1');
  expect(readFileSync(join(dir, 'a/owner.pid'), 'utf8')).toMatch(new RegExp(`^${process.pid} .+`));
  await folder.close();
});

it('purging also removes what was left of writing the outbox anew', async () => {
  const dir = stateDir();
  await (await workerFolder(dir, 'a', 'boot-1')).close();
  for (const name of ['outbox.jsonl', 'outbox.jsonl.new']) writeFileSync(join(dir, 'a', name), 'private');
  await purgeOutbox(dir, 'a');
  // Which boots may still hold leases says nothing of anybody's items.
  expect(readdirSync(join(dir, 'a'))).toEqual(['boots.json']);
});
