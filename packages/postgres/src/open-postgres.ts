import { openEmbedded } from './embedded/open-embedded.ts';
import { openThrowaway } from './embedded/open-throwaway.ts';
import { openGiven } from './open-given.ts';
import type { PostgresServer } from './postgres-server.ts';

export type OpenPostgresOptions =
  /** A server that runs already. */
  | { readonly url: string }
  /** An embedded server that keeps its data in `dataDir`. Without `port`, it uses a free port that changes at each start. */
  | {
      readonly dataDir: string;
      readonly port?: number | undefined;
      /** Called with each line of the server's log. */
      readonly log?: ((line: string) => void) | undefined;
    }
  /** An embedded server for tests: not durable, and `close()` deletes its data. */
  | { readonly throwaway: true; readonly log?: ((line: string) => void) | undefined };

/**
 * Finds or starts a Postgres server.
 *
 * An embedded server listens on 127.0.0.1 only and does not keep this process alive. Ctrl-C does not reach it. It stops
 * when this process ends, even after SIGKILL. One process at a time can own a folder.
 *
 * @throws {OpenPostgresError} if no server can be found or started
 */
export async function openPostgres(options: OpenPostgresOptions): Promise<PostgresServer> {
  if ('url' in options) return await openGiven(options.url);
  if ('dataDir' in options) return await openEmbedded(options);
  return await openThrowaway(options.log);
}
