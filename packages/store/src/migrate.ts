import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as runMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';

/** Any number that no other program is likely to lock. */
const MIGRATION_LOCK = 7_303_014_277;

/** Brings the schema up to date. Control planes that start at once take turns. */
export async function migrate(url: string): Promise<void> {
  const client = postgres(url, {
    max: 1,
    onnotice: () => undefined,
    connection: { application_name: 'macbatch-migrate' },
  });
  try {
    await client`select pg_advisory_lock(${MIGRATION_LOCK})`;
    await runMigrations(drizzle(client), {
      migrationsFolder: fileURLToPath(new URL('../migrations', import.meta.url)),
    });
  } finally {
    await client.end({ timeout: 5 }); // also gives the lock back
  }
}
