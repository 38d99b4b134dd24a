import { setTimeout as pause } from 'node:timers/promises';
import { OpenPostgresError } from '../open-postgres-error.ts';
import { type Binaries, programOf } from './binaries.ts';
import { clusterArgument } from './cluster-location.ts';
import type { DataFolder } from './data-folder.ts';
import { probePort } from './local-port.ts';
import { stopOrphan } from './postmaster.ts';
import { settingArguments } from './server-settings.ts';
import type { ServerUser } from './server-user.ts';
import { ServerDidNotStart, type SupervisedServer, startSupervised } from './supervised-server.ts';

const ATTEMPTS = 8;

export interface ServerStart {
  readonly binaries: Binaries;
  readonly user: ServerUser | undefined;
  /** Undefined means any free port. */
  readonly port: number | undefined;
  readonly log: (line: string) => void;
  /** The server is not durable, and its folder is deleted when it stops. */
  readonly throwaway: boolean;
}

/** Starts a server on the cluster of a folder. The caller must own the folder. */
export async function startServer(
  folder: DataFolder,
  start: ServerStart,
): Promise<{ server: SupervisedServer; port: number }> {
  const argument = await clusterArgument(folder.cluster, start.user);
  for (let attempt = 1; ; attempt += 1) {
    await stopOrphan(folder.cluster);
    const port = await probePort(start.port ?? 0);
    if (port === undefined) throw portTaken(start.port);
    try {
      const server = await startSupervised(
        {
          program: programOf(start.binaries, 'postgres'),
          args: ['-D', argument, ...settingArguments(port, !start.throwaway)],
          cwd: folder.cluster,
          user: start.user,
          stopSignal: start.throwaway ? 'SIGQUIT' : 'SIGINT',
          removeAfter: start.throwaway ? folder.root : undefined,
        },
        start.log,
      );
      return { server, port };
    } catch (error) {
      if (!(error instanceof ServerDidNotStart)) throw error;
      const obstacle = temporaryObstacle(error.log);
      if (obstacle === 'port' && start.port !== undefined) throw portTaken(start.port);
      if (obstacle === undefined || attempt === ATTEMPTS) throw didNotStart(folder, error);
      await pause(attempt * 100);
    }
  }
}

/** Recognises obstacles that pass: another program took the port, or a dying server still uses the data. */
function temporaryObstacle(log: string): 'port' | 'dying server' | undefined {
  if (/could not bind .* address already in use/i.test(log)) return 'port';
  if (/lock file ".*" already exists|pre-existing shared memory block/.test(log)) return 'dying server';
  return undefined;
}

function portTaken(port: number | undefined): OpenPostgresError {
  return new OpenPostgresError(
    'port_taken',
    `Port ${port ?? '?'} on 127.0.0.1 is taken by another program. ` +
      'Stop that program, set another port, or omit the port to get a free one.',
  );
}

function didNotStart(folder: DataFolder, cause: ServerDidNotStart): OpenPostgresError {
  return new OpenPostgresError(
    'start_failed',
    `The embedded Postgres in ${folder.root} did not start (${cause.message}). Its log ends:\n${cause.log}`,
    { cause },
  );
}
