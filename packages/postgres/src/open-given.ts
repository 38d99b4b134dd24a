import { withConnection } from './admin-connection.ts';
import { connectionProblem } from './connection-problem.ts';
import { describeDatabase, parseDatabaseUrl } from './database-url.ts';
import type { PostgresServer } from './postgres-server.ts';
import { requireSupportedVersion } from './server-version.ts';

/** Checks a server that somebody else runs. `close()` leaves it alone. */
export async function openGiven(text: string): Promise<PostgresServer> {
  const url = parseDatabaseUrl(text);
  const server = describeDatabase(url);
  requireSupportedVersion(await readVersion(text, server, decodeURIComponent(url.username)), server);
  return { url: text, kind: 'url', ended: new Promise(() => undefined), close: async () => undefined };
}

async function readVersion(url: string, server: string, user: string): Promise<number> {
  try {
    return await withConnection(url, async (sql) => {
      const [row] = await sql<{ version: string }[]>`select current_setting('server_version_num') as version`;
      return Number(row?.version);
    });
  } catch (cause) {
    throw connectionProblem(cause, server, user);
  }
}
