import { withConnection } from '../admin-connection.ts';
import type { PostgresServer } from '../postgres-server.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { clusterOwner } from './cluster-owner.ts';
import { createCluster, ROLE, readPassword } from './create-cluster.ts';
import { type DataFolder, hasCluster, openDataFolder, removeDrafts } from './data-folder.ts';
import { claimFolder } from './folder-claim.ts';
import { stopOrphan } from './postmaster.ts';
import { reachableBinaries } from './reachable-binaries.ts';
import { serverUser } from './server-user.ts';
import { startServer } from './start-server.ts';

const DATABASE = 'macbatch';

export interface EmbeddedOptions {
  readonly dataDir: string;
  readonly port?: number | undefined;
  readonly log?: ((line: string) => void) | undefined;
  /** Its data may be lost with power, and `dataDir` is deleted once it is down. */
  readonly throwaway?: boolean | undefined;
}

/** Starts the embedded server on a folder, as its one owner, whatever the last owner left behind. */
export async function openEmbedded(options: EmbeddedOptions): Promise<PostgresServer> {
  const found = await findBinaries();
  const folder = await openDataFolder(options.dataDir, found.major);
  const claim = await claimFolder(folder.root);
  try {
    const { url, ended, stop } = await startOwned(folder, found, options);
    const close = async () => {
      await stop();
      await claim.release();
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
    await claim.release();
    throw error;
  }
}

async function startOwned(
  folder: DataFolder,
  found: Binaries,
  { port: wanted, log = () => undefined, throwaway = false }: EmbeddedOptions,
): Promise<{ url: string; ended: Promise<string>; stop(): Promise<void> }> {
  await removeDrafts(folder);
  const there = await hasCluster(folder);
  const unprivileged = await serverUser();
  const user = unprivileged && there ? await clusterOwner(folder.cluster, unprivileged) : unprivileged;
  const binaries = await reachableBinaries(found, user);
  const password = there
    ? await readPassword(folder)
    : await createCluster(folder, { binaries, user, durable: !throwaway });

  const { server, port } = await startServer(folder, { binaries, user, port: wanted, log, throwaway });
  const stop = async () => {
    await server.stop();
    // Only has something to do if the supervisor was killed.
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

/** Not part of creating the cluster, so that a first start may be interrupted between the two. */
async function ensureDatabase(url: string): Promise<void> {
  await withConnection(url, async (sql) => {
    const [row] = await sql`select 1 from pg_database where datname = ${DATABASE}`;
    if (row === undefined) await sql`create database ${sql(DATABASE)}`;
  });
}
