import { mkdir, readFile, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { replaceFileAs } from './replace-file-as.ts';

const InstallRecord = z.object({
  boot: z.boolean(),
  enabled_linger: z.boolean(),
  program: z.string(),
  node: z.string(),
  worker_id: z.string(),
  state_folder: z.string(),
  /** Folders that the installation made, outermost first. */
  made_folders: z.array(z.string()),
});

/** What `worker install` did, for the other actions. */
export type InstallRecord = z.output<typeof InstallRecord>;

/** Reads the record of the installation; null if there is none, or if it is damaged. */
export async function readInstallRecord(path: string): Promise<InstallRecord | null> {
  try {
    return InstallRecord.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}

export function writeInstallRecord(path: string, record: InstallRecord): Promise<void> {
  return replaceFileAs(0o600, path, `${JSON.stringify(record)}\n`);
}

/** Makes a folder for this user alone, with its parents. Returns the folders that did not exist, outermost first. */
export async function makeFolder(folder: string): Promise<readonly string[]> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return [];
  const made: string[] = [];
  for (let each = folder; each.length >= first.length; each = dirname(each)) made.unshift(each);
  return made;
}

/** Removes folders that are empty, innermost first. Keeps the others. */
export async function removeEmptyFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) await rmdir(folder).catch(() => undefined);
}
