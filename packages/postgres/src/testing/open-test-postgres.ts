import { openPostgres } from '../open-postgres.ts';
import { OpenPostgresError } from '../open-postgres-error.ts';
import type { PostgresServer } from '../postgres-server.ts';
import { createDatabase, type TestDatabase } from './create-database.ts';
import { dockerAnswers } from './docker-answers.ts';
import { openContainer } from './open-container.ts';

export interface TestPostgresOptions {
  /**
   * Value of `MACBATCH_TEST_POSTGRES`: a Postgres URL, `testcontainers` or `embedded`. Unset means a container
   * where Docker answers and has the image or can fetch it, and else the embedded server.
   */
  readonly choice: string | undefined;
  /** Is told why the embedded server was taken although Docker answers. */
  readonly log?: ((line: string) => void) | undefined;
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
 * Finds or starts a server for tests. One that was asked for is never replaced by another kind.
 *
 * @throws {OpenPostgresError} when it cannot be had, saying how to get one
 */
export async function openTestPostgres(options: TestPostgresOptions): Promise<PostgresServer> {
  const { choice, template, log = () => undefined } = options;
  const server = await openChosen(choice, log);
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

async function openChosen(choice: string | undefined, log: (line: string) => void): Promise<PostgresServer> {
  if (choice === undefined || choice === '') return await openUnchosen(log);
  if (choice === 'embedded') return await openPostgres({ throwaway: true });
  if (choice === 'testcontainers') return await openContainer();
  if (/^postgres(ql)?:/.test(choice)) return await openPostgres({ url: choice });
  throw new OpenPostgresError(
    'bad_url',
    'MACBATCH_TEST_POSTGRES must be a postgres:// URL, "testcontainers" or "embedded".',
  );
}

async function openUnchosen(log: (line: string) => void): Promise<PostgresServer> {
  if (await dockerAnswers()) {
    try {
      return await openContainer();
    } catch (error) {
      if (!(error instanceof OpenPostgresError)) throw error;
      log(`Docker answers, but: ${error.message}`);
    }
  }
  return await openPostgres({ throwaway: true });
}
