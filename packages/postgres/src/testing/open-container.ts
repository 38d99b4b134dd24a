import { messageOf } from '@macbatch/core';
import { OpenPostgresError } from '../open-postgres-error.ts';
import type { PostgresServer } from '../postgres-server.ts';

const IMAGE = 'postgres:18-alpine';
const HOUR_MS = 60 * 60_000;

/** Starts a throwaway server in a container with Testcontainers. */
export async function openContainer(): Promise<PostgresServer> {
  const { PostgreSqlContainer, Wait } = await loadTestcontainers();
  try {
    const container = await new PostgreSqlContainer(IMAGE)
      .withCommand(['postgres', '-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=200'])
      // The default health check starts a process in the container four times a second, which slows the tests on two
      // cores.
      .withHealthCheck({ test: ['CMD-SHELL', 'true'], interval: HOUR_MS, timeout: 1000, retries: 1 })
      // The first time, the message comes from the server that only sets up the cluster.
      .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
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
    throw noContainer(`A container of ${IMAGE} does not start: ${messageOf(cause)}.`, cause);
  }
}

async function loadTestcontainers() {
  try {
    const [{ PostgreSqlContainer }, { Wait }] = await Promise.all([
      import('@testcontainers/postgresql'),
      import('testcontainers'),
    ]);
    return { PostgreSqlContainer, Wait };
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
