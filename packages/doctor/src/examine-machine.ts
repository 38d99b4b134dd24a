import { execFile } from 'node:child_process';
import { readdir, readFile, statfs } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '@macbatch/core';
import type { Terminal } from '@macbatch/terminal';
import { type Finding, finding } from './finding.ts';
import { judgeDisk, judgeNode, judgeSleep } from './judge-machine.ts';

/** Checks this machine as the host of a worker. */
export async function examineMachine({ env }: Pick<Terminal, 'env'>): Promise<Finding[]> {
  const stateDir = env['MACBATCH_STATE_DIR'] || join(homedir(), '.macbatch', 'workers');
  return [
    judgeNode(process.versions.node),
    await examineDisk(stateDir),
    await examineWorkers(stateDir),
    ...(process.platform === 'darwin' ? [await examineSleep()] : []),
  ];
}

/** Checks the disk of a folder, or of its nearest parent that exists. */
async function examineDisk(folder: string): Promise<Finding> {
  for (let path = folder; ; path = dirname(path)) {
    try {
      const { bavail, bsize } = await statfs(path);
      return judgeDisk(folder, bavail * bsize);
    } catch (error) {
      if (dirname(path) !== path && Reflect.get(Object(error), 'code') === 'ENOENT') continue;
      return finding(
        'disk',
        'fail',
        `${folder} cannot be read: ${messageOf(error)}`,
        'Set MACBATCH_STATE_DIR to a folder that this user can write to.',
      );
    }
  }
}

/** Finds the workers that run here. Each writes its process id into its folder. */
async function examineWorkers(stateDir: string): Promise<Finding> {
  const folders = await readdir(stateDir).catch(() => []);
  const running: string[] = [];
  for (const folder of folders) {
    const pidText = await readFile(join(stateDir, folder, 'owner.pid'), 'utf8').catch(() => '');
    const pid = Number.parseInt(pidText, 10);
    if (isRunning(pid)) running.push(`${decodeURIComponent(folder)} as process ${pid}`);
  }
  if (running.length > 0) return finding('worker', 'ok', `running here: ${running.join(', ')}`);
  return finding(
    'worker',
    'info',
    'no worker runs here',
    'To start one at each login: macbatch worker install',
  );
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
    return finding('sleep', 'info', `pmset cannot be run: ${messageOf(error)}`);
  }
}
