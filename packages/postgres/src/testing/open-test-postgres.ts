import { openPostgres } from '../open-postgres.ts';
import { OpenPostgresError } from '../open-postgres-error.ts';
import type { PostgresServer } from '../postgres-server.ts';
import { createDatabase, type TestDatabase } from './create-database.ts';
import { openContainer } from './open-container.ts';

export interface TestPostgresOptions {
  /** Value of `MACBATCH_TEST_POSTGRES`: a Postgres URL, `testcontainers`, or `embedded`, which unset means too. */
  readonly choice: string | undefined;
  /** A database to create and fill once, for `createDatabase` to copy. Dropped on `close()`. */
  readonly template?:
    | {
        /** Unique to this run: the server may be shared with another one. */
        readonly name: string;
        /** Must have closed its connections when it resolves. */
        readonly fill: (url: string) => Promise<void>;
      }
    | undefined;
}

/**
 * Finds or starts a server for tests, without ever falling back from one kind to another.
 *
 * @throws {OpenPostgresError} when it cannot be had, saying how to get one
 */
export async function openTestPostgres({ choice, template }: TestPostgresOptions): Promise<PostgresServer> {
  const server = await openChosen(choice);
  if (template === undefined) return server;
  const drop = async (database: TestDatabase) => {
    // Servers that we started go with everything in them.
    if (server.kind === 'url') await database.drop();
  };
  try {
    const database = await createDatabase(server.url, template.name);
    try {
      await template.fill(database.url);
    } catch (error) {
      await drop(database);
      throw error;
    }
    return {
      ...server,
      close: async () => {
        try {
          await drop(database);
        } finally {
          await server.close();
        }
      },
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

async function openChosen(choice: string | undefined): Promise<PostgresServer> {
  if (choice === undefined || choice === '' || choice === 'embedded')
    return await openPostgres({ throwaway: true });
  if (choice === 'testcontainers') return await openContainer();
  if (/^postgres(ql)?:/.test(choice)) return await openPostgres({ url: choice });
  throw new OpenPostgresError(
    'bad_url',
    'MACBATCH_TEST_POSTGRES must be a postgres:// URL, "testcontainers" or "embedded" (as when it is unset).',
  );
}
