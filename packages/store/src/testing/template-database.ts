import { openTestPostgres } from '@macbatch/postgres/testing';
import type { TestProject } from 'vitest/node';
import { migrate } from '../database/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the test server's own database. */
    postgresUrl: string;
    /** Name of the migrated database that each test file copies. */
    templateDatabase: string;
  }
}

const NAMES = {
  url: 'the one that MACBATCH_TEST_POSTGRES names',
  container: 'a container, by Testcontainers',
  embedded: 'the embedded server',
} as const;

/** Vitest's global set-up: one server for the run, and the schema migrated once into a template. */
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
