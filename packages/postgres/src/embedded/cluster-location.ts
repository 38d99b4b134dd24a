import { OpenPostgresError } from '../open-postgres-error.ts';
import { closedParent } from './closed-parent.ts';
import type { ServerUser } from './server-user.ts';

/**
 * Returns the path of a data directory for Postgres programs that run as `user` and start in that directory.
 *
 * On Linux the path is `/proc/self/cwd`: a process enters its working directory while it is still root, so this works
 * even below folders that `user` cannot enter, such as /root.
 */
export async function clusterArgument(cluster: string, user: ServerUser | undefined): Promise<string> {
  if (user === undefined) return cluster;
  if (process.platform === 'linux') return '/proc/self/cwd';
  const closed = await closedParent(cluster, user);
  if (closed === undefined) return cluster;
  throw new OpenPostgresError(
    'folder_unusable',
    `Postgres refuses to run as root, and user id ${user.uid} cannot enter ${closed}. ` +
      `Start macbatch as another user, or choose a data folder outside ${closed}.`,
  );
}
