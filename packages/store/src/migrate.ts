import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as runMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';

/** Any number that no other program is likely to lock. */
const MIGRATION_LOCK = 7_303_014_277;

/**
 * Brings the schema up to date. Control planes that start at once take turns. Rejects where a newer program
 * has been there: what it left may not be what this one expects.
 */
export async function migrate(url: string): Promise<void> {
  const client = postgres(url, {
    max: 1,
    onnotice: () => undefined,
    connection: { application_name: 'macbatch-migrate' },
  });
  const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url));
  try {
    await client`select pg_advisory_lock(${MIGRATION_LOCK})`;
    await refuseNewer(client, migrationsFolder);
    await runMigrations(drizzle(client), { migrationsFolder });
  } finally {
    await client.end({ timeout: 5 }); // also gives the lock back
  }
}

async function refuseNewer(client: postgres.Sql, migrationsFolder: string): Promise<void> {
  const [kept] = await client`select to_regclass('drizzle.__drizzle_migrations') is not null as any`;
  if (kept?.['any'] !== true) return;
  const known = readMigrationFiles({ migrationsFolder }).map(({ hash }) => hash);
  const unknown = await client`
    select id from drizzle.__drizzle_migrations where not hash = any(${known}::text[])`;
  if (unknown.length === 0) return;
  throw new Error(
    `The database holds ${unknown.length} migrations that this version of macbatch does not know: a newer one has upgraded it. ` +
      'Upgrade this program, or name another database.',
  );
}
