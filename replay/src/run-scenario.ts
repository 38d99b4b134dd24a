import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nextMessage } from '@macbatch/bench';
import { type FastTime, fastProcessOptions } from './fast-time.ts';
import type { Measured, PoolMessage, PoolTask } from './measured.ts';
import type { ReplayServer } from './replay-server.ts';

export type RunCall = Pick<PoolTask, 'scenario' | 'rules' | 'seed' | 'factor' | 'most'>;

/**
 * Runs one scenario with one set of rules. Starts a database, a control plane and a process with all Macs, all with
 * clocks that are `factor` times as fast.
 */
export async function runScenario(
  server: ReplayServer,
  call: RunCall,
  progress: (text: string) => void,
): Promise<Measured> {
  const time: FastTime = { factor: call.factor, epochMs: Date.now() };
  await using database = await server.database(time);
  const stateDir = await mkdtemp(join(diskOfMacs(), 'macbatch-replay-'));
  const control = start('control.ts', [database.url, String(call.factor)], time);
  try {
    const { port } = await nextMessage<{ port: number }>(control);
    const controlUrl = `http://127.0.0.1:${port}`;
    const task: PoolTask = { ...call, controlUrl, databaseUrl: database.url, stateDir };
    const pool = start('pool.ts', [JSON.stringify(task)], time);
    try {
      return await resultsOf(pool, progress);
    } finally {
      await stop(pool);
    }
  } finally {
    await stop(control);
    await rm(stateDir, { recursive: true, force: true });
  }
}

/** Uses a folder in memory if there is one: the delays of a real disk would count `factor` times. */
function diskOfMacs(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
}

function start(program: string, args: readonly string[], time: FastTime): ChildProcess {
  return fork(fileURLToPath(new URL(program, import.meta.url)), [...args], fastProcessOptions(time));
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  if (child.connected) child.disconnect();
  await exit;
}

/** Resolves with the results of the pool. */
function resultsOf(pool: ChildProcess, progress: (text: string) => void): Promise<Measured> {
  const { promise, resolve, reject } = Promise.withResolvers<Measured>();
  pool.on('message', (message) => {
    const received = message as PoolMessage;
    if (received.kind === 'measured') resolve(received.measured);
    else progress(received.text);
  });
  pool.once('exit', (code) => reject(new Error(`the process of the Macs ended with ${code}`)));
  return promise;
}
