import { openPostgres } from '../open-postgres.ts';
import { OpenPostgresError } from '../open-postgres-error.ts';
import type { PostgresServer } from '../postgres-server.ts';
import { createDatabase, type TestDatabase } from './create-database.ts';
import { dockerAnswers } from './docker-answers.ts';
import { openContainer } from './open-container.ts';

export interface TestPostgresOptions {
  /**
   * Value of `MACBATCH_TEST_POSTGRES`: a Postgres URL, `testcontainers` or `embedded`. If unset: a container if Docker
   * answers and can get the image, otherwise the embedded server.
   */
  readonly choice: string | undefined;
  /** Called with the reason when the embedded server is used although Docker answers. */
  readonly log?: ((line: string) => void) | undefined;
  /** A template database for `createDatabase`. It is created and filled once, and dropped on `close()`. */
  readonly template?:
    | {
        /** Must be unique: several test runs may share the server. */
        readonly name: string;
        /** Must close its connections before it resolves. */
        readonly fill: (url: string) => Promise<void>;
      }
    | undefined;
}

/**
 * Finds or starts a server for tests. If `choice` is set, never falls back to another kind of server.
 *
 * @throws {OpenPostgresError} if the chosen server is not available; the message says how to get one
 */
export async function openTestPostgres(options: TestPostgresOptions): Promise<PostgresServer> {
  const { choice, template, log = () => undefined } = options;
  const server = await openChosen(choice, log);
  if (template === undefined) return server;
  const drop = async (database: TestDatabase) => {
    // A server that was started here is deleted with all its databases.
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
  if (choice === undefined || choice === '') return await openDefault(log);
  if (choice === 'embedded') return await openPostgres({ throwaway: true });
  if (choice === 'testcontainers') return await openContainer();
  if (/^postgres(ql)?:/.test(choice)) return await openPostgres({ url: choice });
  throw new OpenPostgresError(
    'bad_url',
    'MACBATCH_TEST_POSTGRES must be a postgres:// URL, "testcontainers" or "embedded".',
  );
}

async function openDefault(log: (line: string) => void): Promise<PostgresServer> {
  if (await dockerAnswers()) {
    try {
      return await openContainer();
    } catch (error) {
      if (!(error instanceof OpenPostgresError)) throw error;
      log(`Uses the embedded server although Docker answers: ${error.message}`);
    }
  }
  return await openPostgres({ throwaway: true });
}
