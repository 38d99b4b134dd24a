import { lchown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerUser } from './server-user.ts';

/**
 * Whom to run the server on `cluster` as, for a process that is root.
 *
 * The user it belongs to goes on having it. Files of root, such as a restored copy, are given to `unprivileged`.
 */
export async function clusterOwner(cluster: string, unprivileged: ServerUser): Promise<ServerUser> {
  const { uid, gid } = await stat(cluster);
  if (uid !== 0) return { uid, gid };
  for (const path of await readdir(cluster, { recursive: true })) {
    await lchown(join(cluster, path), unprivileged.uid, unprivileged.gid);
  }
  await lchown(cluster, unprivileged.uid, unprivileged.gid);
  return unprivileged;
}
