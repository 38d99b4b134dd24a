import { withConnection } from '../admin-connection.ts';
import type { PostgresServer } from '../postgres-server.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { clusterOwner } from './cluster-owner.ts';
import { createCluster, ROLE, readPassword } from './create-cluster.ts';
import { type DataFolder, hasCluster, openDataFolder, removeDrafts } from './data-folder.ts';
import { takeOwnership } from './folder-ownership.ts';
import { stopOrphan } from './postmaster.ts';
import { reachableBinaries } from './reachable-binaries.ts';
import { serverUser } from './server-user.ts';
import { startServer } from './start-server.ts';

const DATABASE = 'macbatch';

export interface EmbeddedOptions {
  readonly dataDir: string;
  readonly port?: number | undefined;
  readonly log?: ((line: string) => void) | undefined;
  /** The server is not durable, and `dataDir` is deleted when it stops. */
  readonly throwaway?: boolean | undefined;
}

/** Takes ownership of a folder and starts the embedded server on it. Cleans up after an owner that crashed. */
export async function openEmbedded(options: EmbeddedOptions): Promise<PostgresServer> {
  const found = await findBinaries();
  const folder = await openDataFolder(options.dataDir, found.major);
  const ownership = await takeOwnership(folder.root);
  try {
    const { url, ended, stop } = await startOwned(folder, found, options);
    const close = async () => {
      await stop();
      await ownership.release();
    };
    let closed: Promise<void> | undefined;
    return {
      url,
      kind: 'embedded',
      ended,
      close: () => {
        closed ??= close();
        return closed;
      },
    };
  } catch (error) {
    await ownership.release();
    throw error;
  }
}

async function startOwned(
  folder: DataFolder,
  found: Binaries,
  { port: wanted, log = () => undefined, throwaway = false }: EmbeddedOptions,
): Promise<{ url: string; ended: Promise<string>; stop(): Promise<void> }> {
  await removeDrafts(folder);
  const exists = await hasCluster(folder);
  const unprivileged = await serverUser();
  const user = unprivileged && exists ? await clusterOwner(folder.cluster, unprivileged) : unprivileged;
  const binaries = await reachableBinaries(found, user);
  const password = exists
    ? await readPassword(folder)
    : await createCluster(folder, { binaries, user, durable: !throwaway });

  const { server, port } = await startServer(folder, { binaries, user, port: wanted, log, throwaway });
  const stop = async () => {
    await server.stop();
    // Needed only if the supervisor was killed.
    await stopOrphan(folder.cluster);
  };
  try {
    const base = `postgres://${ROLE}:${password}@127.0.0.1:${port}`;
    await ensureDatabase(`${base}/postgres`);
    return { url: `${base}/${DATABASE}`, ended: server.ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Runs at each start, because a first start may be interrupted after the cluster is created. */
async function ensureDatabase(url: string): Promise<void> {
  await withConnection(url, async (sql) => {
    const [row] = await sql`select 1 from pg_database where datname = ${DATABASE}`;
    if (row === undefined) await sql`create database ${sql(DATABASE)}`;
  });
}
