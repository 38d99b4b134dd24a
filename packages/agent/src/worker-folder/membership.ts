import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from './replace-file.ts';

const Membership = z.object({ url: z.string(), key: z.string() });

const MEMBERSHIP = 'membership.json';

/** The control plane that a worker has joined, and the worker's key for it. */
export type Membership = z.output<typeof Membership>;

/** Reads what `worker join` has saved for this worker; null if nothing. Throws when the file is damaged. */
export async function readMembership(stateDir: string, workerId: string): Promise<Membership | null> {
  const path = pathOf(stateDir, workerId);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return null;
    throw error;
  }
  try {
    return Membership.parse(JSON.parse(text));
  } catch {
    throw new Error(`${path} is damaged. Join again: macbatch worker join URL --token T`);
  }
}

/** Lists the names under which workers of this machine have joined a control plane. */
export async function joinedWorkers(stateDir: string): Promise<readonly string[]> {
  const folders = await readdir(stateDir).catch(() => []);
  return folders
    .filter((folder) => existsSync(join(stateDir, folder, MEMBERSHIP)))
    .map((folder) => decodeURIComponent(folder))
    .sort();
}

/** Saves a membership in a file that only this user can read. Returns the path. */
export async function writeMembership(
  stateDir: string,
  workerId: string,
  membership: Membership,
): Promise<string> {
  const path = pathOf(stateDir, workerId);
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  await replaceFile(path, `${JSON.stringify(membership)}\n`);
  return path;
}

function pathOf(stateDir: string, workerId: string): string {
  return join(stateDir, encodeURIComponent(workerId), MEMBERSHIP);
}
