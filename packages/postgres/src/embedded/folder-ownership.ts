import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { OpenPostgresError } from '../open-postgres-error.ts';
import { processFacts } from './process-facts.ts';

/** The ownership of a data folder by this process. */
export interface FolderOwnership {
  release(): Promise<void>;
}

const OWNER_FILE = /^owner-(\d+)-(\S+)$/;
const OWNS = 'This process owns the folder.\n';
const ATTEMPTS = 10;

/**
 * Makes this process the only owner of a data folder. Throws if another process owns it.
 *
 * Each process first writes an owner file, then looks for others. The name of the file contains the pid and the start
 * time of the process, so a later process with the same pid does not match it, and files of dead processes can be
 * deleted safely. Of two processes at the same time, at least one sees the other and withdraws. Processes of another
 * container are invisible, so containers must not share a folder.
 */
export async function takeOwnership(folder: string): Promise<FolderOwnership> {
  const self = await processFacts(process.pid);
  if (self === undefined) throw new Error(`process ${process.pid} cannot see itself`);
  const own = join(folder, `owner-${process.pid}-${self.started}`);
  for (let attempt = 1; ; attempt += 1) {
    await writeOwnerFile(own, folder);
    const rival = await liveRival(folder, own);
    if (rival === undefined) {
      await writeFile(own, OWNS);
      return { release: () => rm(own, { force: true }) };
    }
    await rm(own, { force: true });
    if (rival.owns || attempt === ATTEMPTS) throw inUse(folder, rival.pid);
    // The other process may withdraw too. The first to come back gets the folder.
    await pause(10 + Math.random() * 90);
  }
}

async function writeOwnerFile(own: string, folder: string): Promise<void> {
  try {
    const file = await open(own, 'wx', 0o644);
    await file.close();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw inUse(folder, process.pid);
    throw error;
  }
}

async function liveRival(folder: string, own: string): Promise<{ pid: number; owns: boolean } | undefined> {
  for (const name of await readdir(folder)) {
    const [, pid, started] = OWNER_FILE.exec(name) ?? [];
    const path = join(folder, name);
    if (pid === undefined || path === own) continue;
    const facts = await processFacts(Number(pid));
    if (facts?.started !== started) {
      await rm(path, { force: true });
      continue;
    }
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) return { pid: Number(pid), owns: text === OWNS };
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
