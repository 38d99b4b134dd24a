import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withConnection } from '../admin-connection.ts';
import { type Binaries, findBinaries, programOf } from '../embedded/binaries.ts';
import { clusterArgument } from '../embedded/cluster-location.ts';
import { clusterOwner } from '../embedded/cluster-owner.ts';
import { createCluster, ROLE } from '../embedded/create-cluster.ts';
import { openDataFolder } from '../embedded/data-folder.ts';
import { probePort } from '../embedded/local-port.ts';
import { readPostmasterFile } from '../embedded/postmaster.ts';
import { reachableBinaries } from '../embedded/reachable-binaries.ts';
import { settingArguments } from '../embedded/server-settings.ts';
import { type ServerUser, serverUser } from '../embedded/server-user.ts';
import { type SupervisedServer, startSupervised } from '../embedded/supervised-server.ts';

/** A primary and a synchronous standby. */
export interface PostgresPair {
  /** Database URL with both servers as hosts. */
  readonly url: string;
  /** URL of the same database on the standby only. */
  readonly promotedUrl: string;
  /** Kills the primary with SIGKILL. */
  killPrimary(): Promise<void>;
  /** Promotes the standby. Resolves when the standby accepts writes. */
  promote(): Promise<void>;
  close(): Promise<void>;
}

interface ServerPlace {
  readonly cluster: string;
  readonly binaries: Binaries;
  readonly user: ServerUser | undefined;
  readonly port: number;
}

/** Starts two throwaway servers. The second replicates the first synchronously. */
export async function openPair(): Promise<PostgresPair> {
  const root = await mkdtemp(join(tmpdir(), 'macbatch-pair-'));
  const servers: SupervisedServer[] = [];
  const close = async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const found = await findBinaries();
    const user = await serverUser();
    const binaries = await reachableBinaries(found, user);
    const folder = await openDataFolder(join(root, 'primary'), found.major);
    const standbyFolder = await openDataFolder(join(root, 'standby'), found.major);
    const password = await createCluster(folder, { binaries, user, durable: false });
    // The server has never started, so a copy of its files is a valid base backup.
    await cp(folder.cluster, standbyFolder.cluster, { recursive: true });
    if (user !== undefined) await clusterOwner(standbyFolder.cluster, user);
    await writeFile(join(standbyFolder.cluster, 'standby.signal'), '');
    const [port, standbyPort] = [await freePort(), await freePort()];
    const login = `${ROLE}:${password}`;

    const primary = { cluster: folder.cluster, binaries, user, port };
    servers.push(await startServerAt(primary, { synchronous_standby_names: '*' }));
    const standby = { cluster: standbyFolder.cluster, binaries, user, port: standbyPort };
    servers.push(
      await startServerAt(standby, {
        primary_conninfo: `host=127.0.0.1 port=${port} user=${ROLE} password=${password}`,
      }),
    );
    // Waits for the standby, because replication is synchronous.
    const base = `postgres://${login}@127.0.0.1`;
    await withConnection(`${base}:${port}/postgres`, async (sql) => sql`create database macbatch`);
    return {
      url: `${base}:${port},127.0.0.1:${standbyPort}/macbatch?target_session_attrs=read-write`,
      promotedUrl: `${base}:${standbyPort}/macbatch`,
      async killPrimary() {
        const file = await readPostmasterFile(primary.cluster);
        if (file === undefined) throw new Error('the primary does not run');
        process.kill(file.pid, 'SIGKILL');
      },
      async promote() {
        await promote(`${base}:${standbyPort}/postgres`);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function promote(url: string): Promise<void> {
  await withConnection(url, async (sql) => sql`select pg_promote(true, 60)`, { standby: true });
}

async function freePort(): Promise<number> {
  const port = await probePort(0);
  if (port === undefined) throw new Error('there is no free port');
  return port;
}

async function startServerAt(
  place: ServerPlace,
  extra: Readonly<Record<string, string>>,
): Promise<SupervisedServer> {
  const settings = {
    ...extra,
    fsync: 'off',
    synchronous_commit: 'on',
    max_connections: '200',
    wal_level: 'replica',
  };
  return await startSupervised(
    {
      program: programOf(place.binaries, 'postgres'),
      args: [
        '-D',
        await clusterArgument(place.cluster, place.user),
        ...settingArguments(place.port, true),
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      cwd: place.cluster,
      user: place.user,
      stopSignal: 'SIGQUIT',
      removeAfter: undefined,
    },
    () => undefined,
  );
}
