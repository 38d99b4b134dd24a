import { OpenPostgresError } from '../open-postgres-error.ts';
import { closedParent } from './closed-parent.ts';
import type { ServerUser } from './server-user.ts';

/**
 * How to name a data directory to Postgres programs that run as `user` and are started in that directory.
 *
 * Linux enters a working directory before it drops root, and Postgres stays there, so the name
 * `/proc/self/cwd` works even below folders closed to `user`, such as /root.
 */
export async function clusterArgument(cluster: string, user: ServerUser | undefined): Promise<string> {
  if (user === undefined) return cluster;
  if (process.platform === 'linux') return '/proc/self/cwd';
  const closed = await closedParent(cluster, user);
  if (closed === undefined) return cluster;
  throw new OpenPostgresError(
    'folder_unusable',
    `Postgres refuses to run as root, and user id ${user.uid} may not pass through ${closed}. ` +
      `Start macbatch as another user, or give a data folder outside of ${closed}.`,
  );
}
