import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';

/** Boots that are remembered; the leases of still earlier ones end by themselves. */
const KEPT = 16;

const Boots = z.array(z.string().min(1).max(64));

/**
 * The boots before this one that may still hold leases. They are what shows the control plane that a worker was
 * started again, and is not a second machine with the same worker id: only this folder's disk knows them.
 */
export interface FormerBoots {
  /** Oldest first. */
  readonly former: readonly string[];
  /** The control plane has taken back what they held. */
  forget(): Promise<void>;
}

/**
 * Notes this boot in the file at `path` before anybody hears of it, and answers those that were noted there.
 * A file that can't be read counts as none, one that can't be written as written: either costs only time.
 */
export async function noteBoot(path: string, bootId: string): Promise<FormerBoots> {
  const former = (await read(path)).filter((id) => id !== bootId).slice(1 - KEPT);
  await write(path, [...former, bootId]);
  return { former, forget: () => write(path, [bootId]) };
}

async function read(path: string): Promise<readonly string[]> {
  try {
    return Boots.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return [];
  }
}

async function write(path: string, boots: readonly string[]): Promise<void> {
  try {
    await writeFile(`${path}.new`, JSON.stringify(boots), { mode: 0o600 });
    await rename(`${path}.new`, path);
  } catch {
    // The next boot is taken for another machine, and waits until this one counts as gone.
  }
}
