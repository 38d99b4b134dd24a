import { hostname } from 'node:os';
import { writeMembership } from '@macbatch/agent';
import { nameOfHost, readConfig, WorkerConfig } from '@macbatch/settings';
import { testFolder } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { workerName } from './worker-name.ts';

const HOST = nameOfHost(hostname(), 'worker');
const config = (id?: string) => readConfig(WorkerConfig, { MACBATCH_WORKER_ID: id });

async function stateDirWith(...joined: readonly string[]): Promise<string> {
  const dir = testFolder();
  for (const id of joined) await writeMembership(dir, id, { url: 'http://127.0.0.1:1', key: 'k' });
  return dir;
}

it.each<[joined: readonly string[], id: string | undefined, name: string]>([
  [[], undefined, HOST],
  [['mac j'], undefined, 'mac j'],
  [['mac-j', HOST], undefined, HOST],
  [['mac-j'], 'other', 'other'],
])('names a worker that has joined as %j and is configured as %j: %s', async (joined, id, name) => {
  expect(await workerName(config(id), await stateDirWith(...joined))).toBe(name);
});

it('asks for a name when several workers have joined under other names', async () => {
  await expect(workerName(config(), await stateDirWith('b', 'a'))).rejects.toThrow(
    'This machine has joined as a, b.',
  );
});
