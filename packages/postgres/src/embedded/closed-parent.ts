import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ServerUser } from './server-user.ts';

/**
 * Finds the nearest folder above `path` that `user` cannot enter. Assumes that the user is in one group only.
 *
 * @throws if `path` does not exist
 */
export async function closedParent(path: string, user: ServerUser): Promise<string | undefined> {
  const real = await realpath(path);
  for (let parent = dirname(real); ; parent = dirname(parent)) {
    const { mode, uid, gid } = await stat(parent);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return parent;
    if (parent === dirname(parent)) return undefined;
  }
}
