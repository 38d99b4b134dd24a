import { openTestPostgres } from '@macbatch/postgres/testing';
import type { TestProject } from 'vitest/node';
import { migrate } from '../database/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the test server's own database. */
    postgresUrl: string;
    /** The name of the migrated database that test files clone. */
    templateDatabase: string;
  }
}

const NAMES = {
  url: 'the server that MACBATCH_TEST_POSTGRES names',
  container: 'a container (Testcontainers)',
  embedded: 'the embedded server',
} as const;

/** Vitest's global set-up: starts one server for the run and migrates the template database. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const template = `macbatch_template_${process.pid}`;
  const server = await openTestPostgres({
    choice: process.env['MACBATCH_TEST_POSTGRES'],
    template: { name: template, fill: migrate },
    log: (line) => project.vitest.logger.log(line),
  });
  project.vitest.logger.log(`Postgres for tests: ${NAMES[server.kind]}`);
  project.provide('postgresUrl', server.url);
  project.provide('templateDatabase', template);
  return () => server.close();
}
