import { readFile, readlink, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { OpenPostgresError } from '../open-postgres-error.ts';
import { processFacts } from './process-facts.ts';

const FAST_SHUTDOWN_MS = 30_000;
const IMMEDIATE_SHUTDOWN_MS = 10_000;
const LOOK_EVERY_MS = 20;

/** What Postgres' main process writes of itself into its cluster. */
export interface PostmasterFile {
  readonly pid: number;
  readonly ready: boolean;
}

export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => undefined);
  const lines = text?.split('\n');
  const pid = Number(lines?.[0]);
  return Number.isInteger(pid) && pid > 0 ? { pid, ready: lines?.[7]?.trim() === 'ready' } : undefined;
}

/**
 * Ends a server that still runs in `cluster` although nobody owns it, and clears away what a dead one left.
 * Call it only as the folder's owner.
 */
export async function stopOrphan(cluster: string): Promise<void> {
  const file = await readPostmasterFile(cluster);
  if (file === undefined) return;
  if (await runsIn(file.pid, cluster)) {
    await shutDown(file.pid, cluster);
  } else if (exists(file.pid)) {
    // Postgres drops the file itself when the pid in it is dead, but takes any live process for a server.
    await rm(join(cluster, 'postmaster.pid'), { force: true });
  }
}

async function shutDown(pid: number, cluster: string): Promise<void> {
  for (const [signal, patience] of [
    ['SIGINT', FAST_SHUTDOWN_MS],
    ['SIGQUIT', IMMEDIATE_SHUTDOWN_MS],
  ] as const) {
    send(pid, signal);
    const deadline = performance.now() + patience;
    while (performance.now() < deadline) {
      if (!(await runsIn(pid, cluster))) return;
      await pause(LOOK_EVERY_MS);
    }
  }
  throw new OpenPostgresError(
    'stop_failed',
    `A Postgres server left over in ${cluster} (process ${pid}) does not stop. Stop it by hand: kill -QUIT ${pid}`,
  );
}

/** Whether `pid` is a Postgres server on this cluster, and not another program that got its pid. */
async function runsIn(pid: number, cluster: string): Promise<boolean> {
  const facts = await processFacts(pid);
  if (facts === undefined) return false;
  if (process.platform !== 'linux')
    return facts.command.endsWith(cluster) || facts.command.includes(`${cluster} `);
  // The main process works in its cluster, under whatever name it was given.
  const workingFolder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return workingFolder === cluster && basename(facts.command.split(' ')[0] ?? '') === 'postgres';
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in the meantime; the caller looks again anyway.
  }
}
