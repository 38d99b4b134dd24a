import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Outbox } from './outbox.ts';

/** A worker's own folder on this machine, claimed by one process at a time. */
export interface WorkerFolder {
  readonly outbox: Outbox;
  /** Lines of the outbox that could not be read. */
  readonly dropped: number;
  close(): Promise<void>;
}

const OUTBOX = 'outbox.jsonl';
const OWNER = 'owner.pid';

/** Opens the folder of worker `workerId` below `stateDir`. Rejects while another process has it. */
export async function workerFolder(stateDir: string, workerId: string): Promise<WorkerFolder> {
  const folder = await claim(stateDir, workerId);
  const { outbox, dropped } = await Outbox.open(join(folder, OUTBOX));
  return {
    outbox,
    dropped,
    async close() {
      await outbox.close();
      await rm(join(folder, OWNER), { force: true });
    },
  };
}

/** Empties the outbox of a worker that does not run: what it holds is never reported. */
export async function purgeOutbox(stateDir: string, workerId: string): Promise<void> {
  const folder = await claim(stateDir, workerId);
  await rm(join(folder, OUTBOX), { force: true });
  await rm(join(folder, OWNER), { force: true });
}

async function claim(stateDir: string, workerId: string): Promise<string> {
  const folder = join(stateDir, encodeURIComponent(workerId));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, OWNER);
  for (;;) {
    try {
      const file = await open(path, 'wx', 0o600);
      await file.writeFile(String(process.pid));
      await file.close();
      return folder;
    } catch (error) {
      if (!(error instanceof Error) || Reflect.get(error, 'code') !== 'EEXIST') throw error;
    }
    const owner = Number(await readFile(path, 'utf8').catch(() => '0'));
    if (owner !== process.pid && isRunning(owner)) {
      throw new Error(
        `Worker ${workerId} is already running here as process ${owner}. Give this one another MACBATCH_WORKER_ID (--id); if no worker runs, remove ${path}.`,
      );
    }
    await rm(path, { force: true });
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && Reflect.get(error, 'code') === 'EPERM';
  }
}
