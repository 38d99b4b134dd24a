import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const Membership = z.object({ url: z.string(), key: z.string() });

/** The control plane that a worker has joined, and the key that it got there. */
export type Membership = z.output<typeof Membership>;

/** What `worker join` has left for this worker, or null. Throws where the file is damaged. */
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

/** Keeps a membership where only this user can read it, whole or not at all. */
export async function writeMembership(
  stateDir: string,
  workerId: string,
  membership: Membership,
): Promise<string> {
  const path = pathOf(stateDir, workerId);
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.new`, `${JSON.stringify(membership)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
  return path;
}

function pathOf(stateDir: string, workerId: string): string {
  return join(stateDir, encodeURIComponent(workerId), 'membership.json');
}
