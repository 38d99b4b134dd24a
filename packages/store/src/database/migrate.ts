import { Database } from '@macbatch/connection';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type postgres from 'postgres';
import { MIGRATIONS_FOLDER } from '../migrations-folder.ts';

/** Any number that no other program is likely to lock. */
const MIGRATION_LOCK = 7_303_014_277;

/**
 * Brings the schema up to date. Control planes that start at once take turns. Rejects where a newer program
 * has been there: what it left may not be what this one expects.
 */
export async function migrate(url: string): Promise<void> {
  const { connection } = await new Database(url).connect({
    applicationName: 'macbatch-migrate',
    settings: { statement_timeout: '0', lock_timeout: '0' },
  });
  try {
    await connection.transaction(async (tx) => {
      // Of the transaction and not of the session, which through a pooler is another with each statement.
      await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
      const { unknown } = await schemaState(tx);
      if (unknown > 0) {
        throw new Error(
          `The database holds ${unknown} migrations that this version of macbatch does not know: a newer one has upgraded it. ` +
            'Upgrade this program, or name another database.',
        );
      }
      await apply(tx);
      await makeUp(tx);
    });
  } finally {
    await connection.end();
  }
}

/** How a database's migrations compare with this program's. */
export interface SchemaState {
  /** Of this program's migrations, those that the database does not have. */
  readonly missing: number;
  /** Migrations of the database that this program does not know: a newer one has been there. */
  readonly unknown: number;
}

let known: ReadonlySet<string> | undefined;

export async function schemaState(client: postgres.Sql): Promise<SchemaState> {
  known ??= new Set(readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).map(({ hash }) => hash));
  const [table] = await client`select to_regclass('drizzle.__drizzle_migrations') is not null as kept`;
  const applied =
    table?.['kept'] === true
      ? await client<{ hash: string }[]>`select hash from drizzle.__drizzle_migrations`
      : [];
  const hashes = new Set(applied.map(({ hash }) => hash));
  return {
    missing: [...known].filter((hash) => !hashes.has(hash)).length,
    unknown: [...hashes].filter((hash) => known?.has(hash) === false).length,
  };
}

/** As Drizzle's own migrator does, which would hold no lock: it opens a transaction of its own. */
async function apply(tx: postgres.Sql): Promise<void> {
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

/**
 * A control plane of the release before, which may run beside this one for a while, does not count what
 * failed tasks miss nor which leases expired. Made up for at each start.
 */
async function makeUp(client: postgres.Sql): Promise<void> {
  await client`
    insert into job_tallies (job_id, worker_id, items_failed, leases_expired)
    select job_id, '', coalesce(missing, 0) - coalesce(told_missing, 0), coalesce(expired, 0) - coalesce(told_expired, 0)
    from (
      select job_id, sum(item_count - outcome_count)::int as missing from tasks where status = 'failed' group by job_id
    ) as failed
    full join (
      select job_id, count(*)::int as expired from events where kind = 'lease_expired' group by job_id
    ) as lapsed using (job_id)
    full join (
      select job_id, sum(items_failed)::int as told_missing, sum(leases_expired)::int as told_expired
      from job_tallies group by job_id
    ) as tally using (job_id)
    where coalesce(missing, 0) <> coalesce(told_missing, 0) or coalesce(expired, 0) <> coalesce(told_expired, 0)
    on conflict (job_id, worker_id) do update set
      items_failed = job_tallies.items_failed + excluded.items_failed,
      leases_expired = job_tallies.leases_expired + excluded.leases_expired`;
}
