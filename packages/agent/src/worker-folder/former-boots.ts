import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { replaceFile } from './replace-file.ts';

/** The number of boots that the file keeps. Leases of earlier boots have expired. */
const MAX_BOOTS = 16;

const Boots = z.array(z.string().min(1).max(64));

/**
 * The boots before this one that may still hold leases. Only this disk knows them, so they show the control plane
 * that the worker was restarted and is not a second machine with the same id.
 */
export interface FormerBoots {
  /** Oldest first. */
  readonly former: readonly string[];
  /** Removes them from the file: the control plane has taken back what they held. */
  forget(): Promise<void>;
}

/**
 * Adds this boot to the file at `path` and returns the boots that were there. A file that cannot be read counts as
 * empty, and one that cannot be written is ignored: both cases only cost time.
 */
export async function addBoot(path: string, bootId: string): Promise<FormerBoots> {
  const former = (await read(path)).filter((id) => id !== bootId).slice(1 - MAX_BOOTS);
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
    await replaceFile(path, JSON.stringify(boots));
  } catch {
    // The next boot looks like another machine, and waits until this one is no longer alive.
  }
}
