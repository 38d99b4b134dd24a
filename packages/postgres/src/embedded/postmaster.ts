import { readFile, readlink, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { OpenPostgresError } from '../open-postgres-error.ts';
import { processFacts } from './process-facts.ts';

const FAST_SHUTDOWN_MS = 30_000;
const IMMEDIATE_SHUTDOWN_MS = 10_000;
const POLL_MS = 20;

/** The contents of `postmaster.pid`, which the main process of Postgres writes. */
export interface PostmasterFile {
  readonly pid: number;
  readonly ready: boolean;
}

/** Reads `postmaster.pid` of a cluster. Returns undefined if there is none. */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => undefined);
  const lines = text?.split('\n');
  const pid = Number(lines?.[0]);
  return Number.isInteger(pid) && pid > 0 ? { pid, ready: lines?.[7]?.trim() === 'ready' } : undefined;
}

/**
 * Stops a server that a dead owner left running on `cluster`, and removes the process file of a dead server. The
 * caller must own the folder.
 */
export async function stopOrphan(cluster: string): Promise<void> {
  const file = await readPostmasterFile(cluster);
  if (file === undefined) return;
  if (await runsIn(file.pid, cluster)) {
    await shutDown(file.pid, cluster);
  } else if (exists(file.pid)) {
    // Postgres removes the file itself if that process is dead, but treats any living process with that id as a server.
    await rm(join(cluster, 'postmaster.pid'), { force: true });
  }
}

async function shutDown(pid: number, cluster: string): Promise<void> {
  for (const [signal, timeoutMs] of [
    ['SIGINT', FAST_SHUTDOWN_MS],
    ['SIGQUIT', IMMEDIATE_SHUTDOWN_MS],
  ] as const) {
    send(pid, signal);
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline) {
      if (!(await runsIn(pid, cluster))) return;
      await pause(POLL_MS);
    }
  }
  throw new OpenPostgresError(
    'stop_failed',
    `A Postgres server that still runs on ${cluster} (process ${pid}) does not stop. Stop it by hand: kill -QUIT ${pid}`,
  );
}

/** Returns whether `pid` is a Postgres server on this cluster, and not another program with the same pid. */
async function runsIn(pid: number, cluster: string): Promise<boolean> {
  const facts = await processFacts(pid);
  if (facts === undefined) return false;
  if (process.platform !== 'linux')
    return facts.command.endsWith(cluster) || facts.command.includes(`${cluster} `);
  // The working directory of the main process is its cluster, even if it was started with another path to it.
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
    // It ended in the meantime. The caller checks again.
  }
}
