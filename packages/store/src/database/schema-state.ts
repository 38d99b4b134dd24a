import { readMigrationFiles } from 'drizzle-orm/migrator';
import type postgres from 'postgres';
import { MIGRATIONS_FOLDER } from '../migrations-folder.ts';

/** How a database's migrations compare with this program's. */
export interface SchemaState {
  /** Migrations of this program that the database does not have. */
  readonly missing: number;
  /** Migrations of the database that this program does not know: a newer program has upgraded it. */
  readonly unknown: number;
}

let ownHashes: ReadonlySet<string> | undefined;

export async function readSchemaState(client: postgres.Sql): Promise<SchemaState> {
  ownHashes ??= new Set(readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).map(({ hash }) => hash));
  const own = ownHashes;
  const [table] = await client`select to_regclass('drizzle.__drizzle_migrations') is not null as found`;
  const applied =
    table?.['found'] === true
      ? await client<{ hash: string }[]>`select hash from drizzle.__drizzle_migrations`
      : [];
  const appliedHashes = new Set(applied.map(({ hash }) => hash));
  return {
    missing: [...own].filter((hash) => !appliedHashes.has(hash)).length,
    unknown: [...appliedHashes].filter((hash) => !own.has(hash)).length,
  };
}
