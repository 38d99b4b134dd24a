import { Database } from '@macbatch/connection';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type postgres from 'postgres';
import { MIGRATIONS_FOLDER } from '../migrations-folder.ts';
import { correctTallies } from './correct-tallies.ts';
import { readSchemaState } from './schema-state.ts';

/** A number that no other program is likely to lock. */
const MIGRATION_LOCK = 7_303_014_277;

/**
 * Applies the missing migrations. Control planes that start at the same time take turns. Rejects when a newer program
 * has upgraded the database: this program may not understand what that one stores.
 */
export async function migrate(url: string): Promise<void> {
  const { connection } = await new Database(url).connect({
    applicationName: 'macbatch-migrate',
    settings: { statement_timeout: '0', lock_timeout: '0' },
  });
  try {
    await connection.transaction(async (tx) => {
      // A lock of the transaction, not of the session: behind a pooler each statement may run in another session.
      await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
      const { unknown } = await readSchemaState(tx);
      if (unknown > 0) {
        throw new Error(
          `The database has ${unknown} migrations that this version of macbatch does not know: a newer version has upgraded it. ` +
            'Upgrade this program, or name another database.',
        );
      }
      await applyMigrations(tx);
      await correctTallies(tx);
    });
  } finally {
    await connection.end();
  }
}

/** Does what Drizzle's migrator does, which would hold no lock because it opens its own transaction. */
async function applyMigrations(tx: postgres.Sql): Promise<void> {
  await tx`create schema if not exists drizzle`;
  await tx`
    create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`;
  const [last] = await tx`select max(created_at)::float8 as at from drizzle.__drizzle_migrations`;
  const appliedUntil = Number(last?.['at'] ?? Number.NEGATIVE_INFINITY);
  for (const { folderMillis, hash, sql } of readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER })) {
    if (folderMillis <= appliedUntil) continue;
    for (const statement of sql) await tx.unsafe(statement);
    await tx`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${folderMillis})`;
  }
}
