import { Database, DatabaseUrlError } from '@macbatch/connection';
import { connectionProblem } from './connection-problem.ts';
import { OpenPostgresError } from './open-postgres-error.ts';
import type { PostgresServer } from './postgres-server.ts';
import { requireSupportedVersion } from './server-version.ts';

/** Checks a server that the user runs, and picks the writable one of several. `close()` does not stop it. */
export async function openGiven(url: string): Promise<PostgresServer> {
  const database = databaseAt(url);
  requireSupportedVersion(await readVersion(database), database.description);
  return { url, kind: 'url', ended: new Promise(() => undefined), close: async () => undefined };
}

function databaseAt(url: string): Database {
  try {
    return new Database(url);
  } catch (cause) {
    if (cause instanceof DatabaseUrlError) throw new OpenPostgresError('bad_url', cause.message, { cause });
    throw cause;
  }
}

async function readVersion(database: Database): Promise<number> {
  try {
    const { connection, version } = await database.connect({
      applicationName: 'macbatch-admin',
      settings: {},
    });
    await connection.end();
    return version;
  } catch (cause) {
    throw connectionProblem(cause, database.description, database.user);
  }
}
