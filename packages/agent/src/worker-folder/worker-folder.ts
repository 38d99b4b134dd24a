import { execFile } from 'node:child_process';
import { link, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Outbox } from '../outbox/outbox.ts';
import { countUnsent } from '../outbox/unsent.ts';
import { addBoot, type FormerBoots } from './former-boots.ts';
import { MODELS_STATUS, type ModelsStatus } from './models-status.ts';
import { replaceFile } from './replace-file.ts';
import { RunningItems } from './running-items.ts';

/** A worker's own folder on this machine. One process at a time owns it. */
export interface WorkerFolder {
  readonly path: string;
  readonly outbox: Outbox;
  /** Number of unreadable lines in the outbox. */
  readonly dropped: number;
  readonly boots: FormerBoots;
  readonly running: RunningItems;
  /** Saves what the worker says about its models, if that has changed. */
  saveModels(status: Omit<ModelsStatus, 'pid'>): Promise<void>;
  close(): Promise<void>;
}

const OUTBOX = 'outbox.jsonl';
const BOOTS = 'boots.json';
const RUNNING = 'running.jsonl';
const CRASHED = 'crashed.json';
const OWNER = 'owner.pid';

/** Opens the folder of a worker below `stateDir` for this boot. Rejects while another process owns it. */
export async function workerFolder(
  stateDir: string,
  workerId: string,
  bootId: string,
): Promise<WorkerFolder> {
  const folder = await claim(stateDir, workerId);
  const { outbox, dropped } = await Outbox.open(join(folder, OUTBOX));
  const running = await RunningItems.open(join(folder, RUNNING), join(folder, CRASHED));
  let saved = '';
  return {
    path: folder,
    outbox,
    running,
    async saveModels(status) {
      const text = `${JSON.stringify({ pid: process.pid, ...status })}\n`;
      if (text === saved) return;
      saved = text;
      await replaceFile(join(folder, MODELS_STATUS), text);
    },
    dropped,
    boots: await addBoot(join(folder, BOOTS), bootId),
    async close() {
      await outbox.close();
      running.close();
      for (const name of [MODELS_STATUS, OWNER]) await rm(join(folder, name), { force: true });
    },
  };
}

/**
 * Deletes the outbox of a worker that does not run. Outcomes in it are never reported. Throws if this machine has no
 * such worker.
 */
export async function purgeOutbox(stateDir: string, workerId: string): Promise<void> {
  const known: readonly string[] = await readdir(stateDir).catch(() => []);
  if (!known.includes(encodeURIComponent(workerId))) {
    const names = known
      .map((folder) => decodeURIComponent(folder))
      .sort()
      .join(', ');
    throw new Error(
      `No worker ${workerId} has run here. ${names === '' ? `${stateDir} is empty` : `Workers of this machine: ${names}`}.`,
    );
  }
  const folder = await claim(stateDir, workerId);
  // A crash may leave the draft of a rewritten outbox.
  for (const name of [OUTBOX, `${OUTBOX}.new`]) await rm(join(folder, name), { force: true });
  await rm(join(folder, OWNER), { force: true });
}

/** Counts the outcomes that a worker of this machine has not reported. */
export function unsentOutcomes(stateDir: string, workerId: string): Promise<number> {
  return countUnsent(join(stateDir, encodeURIComponent(workerId), OUTBOX));
}

/**
 * Deletes the folder of a worker that does not run: its key, its outbox and its boots. Then deletes the folders above
 * it if they are empty.
 */
export async function removeWorkerFolder(stateDir: string, workerId: string): Promise<void> {
  const folder = await claim(stateDir, workerId);
  await rm(folder, { recursive: true });
  await rmdir(stateDir).catch(() => undefined);
  if (basename(dirname(stateDir)) === '.macbatch') await rmdir(dirname(stateDir)).catch(() => undefined);
}

/** Makes this process the owner of the folder. Throws while another owner runs. */
async function claim(stateDir: string, workerId: string): Promise<string> {
  const folder = join(stateDir, encodeURIComponent(workerId));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, OWNER);
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${process.pid} ${await startOf(process.pid)}`, { mode: 0o600 });
  try {
    // Creating a link is atomic, so no process reads a half-written file.
    while (!(await linked(draft, path))) {
      const owned = await readFile(path, 'utf8').catch(() => '');
      const [pid = '', ...started] = owned.split(' ');
      const owner = Number(pid);
      // The system reuses process ids, so the start time must match too.
      if (owner !== process.pid && isRunning(owner) && (await startOf(owner)) === started.join(' ')) {
        throw new Error(
          `Worker ${workerId} is already running here as process ${owner}. Give this one another MACBATCH_WORKER_ID (--id); if no worker runs, remove ${path}.`,
        );
      }
      await removeOwner(path, owned);
    }
  } finally {
    await rm(draft, { force: true });
  }
  return folder;
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the file of an owner that has exited. Keeps the file if another process has written a new owner. */
async function removeOwner(path: string, owned: string): Promise<void> {
  const aside = `${path}.${process.pid}.old`;
  try {
    await rename(path, aside);
  } catch {
    return; // another process was faster
  }
  if ((await readFile(aside, 'utf8')) !== owned) await linked(aside, path);
  await rm(aside, { force: true });
}

/** When a process started, as a text to compare; empty if unknown. */
async function startOf(pid: number): Promise<string> {
  try {
    if (process.platform !== 'linux') {
      const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], {
        env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' },
      });
      return stdout.trim();
    }
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    // The second field is the program's name in parentheses and may contain spaces: count from its end.
    return `${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]} ${boot.trim()}`;
  } catch {
    return '';
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
