import { openPostgres } from '@macbatch/postgres';
import type { ControlConfig } from '@macbatch/settings';
import { afterRestore, migrate } from '@macbatch/store';
import { databaseOf } from './config.ts';

/** Prepares a database that was restored from a backup. */
export async function markRestored(config: ControlConfig): Promise<void> {
  const postgres = await openPostgres(databaseOf(config));
  try {
    await migrate(postgres.url);
    await afterRestore(postgres.url);
  } finally {
    await postgres.close();
  }
}
