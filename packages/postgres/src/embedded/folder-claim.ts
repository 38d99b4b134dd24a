import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { OpenPostgresError } from '../open-postgres-error.ts';
import { processFacts } from './process-facts.ts';

/** The claim of this process on a data folder. */
export interface FolderClaim {
  release(): Promise<void>;
}

const CLAIM = /^owner-(\d+)-(\S+)$/;
const HELD = 'This process owns the folder.\n';
const ATTEMPTS = 10;

/**
 * Makes this process the only owner of a data folder. Throws if another process owns it.
 *
 * A claim is a file. Its name contains the pid and the start time of its process, so a later process with the same pid
 * does not match it, and claims of dead processes can be deleted safely. Each process first writes its own claim, then
 * looks for others. Of two processes at the same time, at least one sees the other and withdraws. Processes of another
 * container are invisible, so containers must not share a folder.
 */
export async function claimFolder(folder: string): Promise<FolderClaim> {
  const self = await processFacts(process.pid);
  if (self === undefined) throw new Error(`process ${process.pid} cannot see itself`);
  const own = join(folder, `owner-${process.pid}-${self.started}`);
  for (let attempt = 1; ; attempt += 1) {
    await writeClaim(own, folder);
    const rival = await liveRival(folder, own);
    if (rival === undefined) {
      await writeFile(own, HELD);
      return { release: () => rm(own, { force: true }) };
    }
    await rm(own, { force: true });
    if (rival.holds || attempt === ATTEMPTS) throw inUse(folder, rival.pid);
    // The other process may withdraw too. The first to come back gets the folder.
    await pause(10 + Math.random() * 90);
  }
}

async function writeClaim(own: string, folder: string): Promise<void> {
  try {
    const file = await open(own, 'wx', 0o644);
    await file.close();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw inUse(folder, process.pid);
    throw error;
  }
}

async function liveRival(folder: string, own: string): Promise<{ pid: number; holds: boolean } | undefined> {
  for (const name of await readdir(folder)) {
    const [, pid, started] = CLAIM.exec(name) ?? [];
    const path = join(folder, name);
    if (pid === undefined || path === own) continue;
    const facts = await processFacts(Number(pid));
    if (facts?.started !== started) {
      await rm(path, { force: true });
      continue;
    }
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) return { pid: Number(pid), holds: text === HELD };
  }
  return undefined;
}

function inUse(folder: string, pid: number): OpenPostgresError {
  return new OpenPostgresError(
    'folder_in_use',
    pid === process.pid
      ? `This process (${pid}) already runs the embedded Postgres in ${folder}. Close it first.`
      : `The embedded Postgres in ${folder} is in use by process ${pid}. Stop that one, or use another folder.`,
  );
}
