import { execFile } from 'node:child_process';
import { readdir, readFile, statfs } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '@macbatch/core';
import type { Terminal } from '@macbatch/terminal';
import { type Finding, finding } from './finding.ts';
import { judgeDisk, judgeNode, judgeSleep } from './judge-machine.ts';

/** Looks at this machine as one that a worker runs on. */
export async function examineMachine({ env }: Pick<Terminal, 'env'>): Promise<Finding[]> {
  const stateDir = env['MACBATCH_STATE_DIR'] || join(homedir(), '.macbatch', 'workers');
  return [
    judgeNode(process.versions.node),
    await examineDisk(stateDir),
    await examineWorkers(stateDir),
    ...(process.platform === 'darwin' ? [await examineSleep()] : []),
  ];
}

/** The disk of a folder, or of the nearest one above that is there. */
async function examineDisk(folder: string): Promise<Finding> {
  for (let there = folder; ; there = dirname(there)) {
    try {
      const { bavail, bsize } = await statfs(there);
      return judgeDisk(folder, bavail * bsize);
    } catch (error) {
      if (dirname(there) !== there && Reflect.get(Object(error), 'code') === 'ENOENT') continue;
      return finding(
        'disk',
        'fail',
        `${folder} can't be looked at: ${messageOf(error)}`,
        'Point MACBATCH_STATE_DIR to a folder that this user may write to.',
      );
    }
  }
}

/** Which workers run here: each notes its process in its own folder. */
async function examineWorkers(stateDir: string): Promise<Finding> {
  const folders = await readdir(stateDir).catch(() => []);
  const running: string[] = [];
  for (const folder of folders) {
    const note = await readFile(join(stateDir, folder, 'owner.pid'), 'utf8').catch(() => '');
    const pid = Number.parseInt(note, 10);
    if (isRunning(pid)) running.push(`${decodeURIComponent(folder)} as process ${pid}`);
  }
  if (running.length > 0) return finding('worker', 'ok', `runs here: ${running.join(', ')}`);
  return finding('worker', 'info', 'none runs here', 'To let this machine work: macbatch worker');
}

function isRunning(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return Reflect.get(Object(error), 'code') === 'EPERM';
  }
}

async function examineSleep(): Promise<Finding> {
  try {
    return judgeSleep((await promisify(execFile)('/usr/bin/pmset', ['-g'])).stdout);
  } catch (error) {
    return finding('sleep', 'info', `pmset can't be run: ${String(error)}`);
  }
}
