import { OpenPostgresError } from '../open-postgres-error.ts';
import type { PostgresServer } from '../postgres-server.ts';

const IMAGE = 'postgres:18-alpine';

/** Starts a throwaway server in a container, by Testcontainers. */
export async function openContainer(): Promise<PostgresServer> {
  const { PostgreSqlContainer } = await loadTestcontainers();
  try {
    const container = await new PostgreSqlContainer(IMAGE)
      .withCommand(['postgres', '-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=200'])
      .start();
    return {
      url: container.getConnectionUri(),
      kind: 'container',
      ended: new Promise(() => undefined),
      close: async () => {
        await container.stop();
      },
    };
  } catch (cause) {
    throw noContainer(
      `A container of ${IMAGE} does not start: ${cause instanceof Error ? cause.message : cause}.`,
      cause,
    );
  }
}

async function loadTestcontainers(): Promise<typeof import('@testcontainers/postgresql')> {
  try {
    return await import('@testcontainers/postgresql');
  } catch (cause) {
    throw noContainer('The package @testcontainers/postgresql is not installed.', cause);
  }
}

function noContainer(problem: string, cause: unknown): OpenPostgresError {
  return new OpenPostgresError(
    'no_container',
    `${problem} Start Docker and reinstall with optional dependencies, ` +
      'or set MACBATCH_TEST_POSTGRES=embedded for the embedded server.',
    { cause },
  );
}
