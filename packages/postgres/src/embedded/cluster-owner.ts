import { lchown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerUser } from './server-user.ts';

/**
 * Returns the user that runs the server on `cluster` when this process is root: the owner of the cluster.
 *
 * If root owns the cluster, as after a restore, changes the owner of all its files to `unprivileged`.
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
