import { openEmbedded } from './embedded/open-embedded.ts';
import { openThrowaway } from './embedded/open-throwaway.ts';
import { openGiven } from './open-given.ts';
import type { PostgresServer } from './postgres-server.ts';

export type OpenPostgresOptions =
  /** A server that is already there. */
  | { readonly url: string }
  /** An embedded server whose data stay in `dataDir`. Without `port`, on a free one that changes with every start. */
  | {
      readonly dataDir: string;
      readonly port?: number | undefined;
      /** Gets what the server writes to its log, line by line. */
      readonly log?: ((line: string) => void) | undefined;
    }
  /** An embedded server for tests: not crash-safe, and gone with all its data on `close()`. */
  | { readonly throwaway: true; readonly log?: ((line: string) => void) | undefined };

/**
 * Finds or starts a Postgres server.
 *
 * An embedded server listens on 127.0.0.1 only, does not keep this process alive, is out of reach of Ctrl-C,
 * and stops when this process ends, however it ends. A folder has one owner at a time.
 *
 * @throws {OpenPostgresError} when none can be had
 */
export async function openPostgres(options: OpenPostgresOptions): Promise<PostgresServer> {
  if ('url' in options) return await openGiven(options.url);
  if ('dataDir' in options) return await openEmbedded(options);
  return await openThrowaway(options.log);
}
