import { Database } from '@macbatch/connection';
import type postgres from 'postgres';

/** Runs `work` on one short-lived connection. Connects to a standby only if `standby` is set. */
export async function withConnection<T>(
  url: string,
  work: (sql: postgres.Sql) => Promise<T>,
  { standby = false }: { readonly standby?: boolean } = {},
): Promise<T> {
  const { connection } = await new Database(url).connect({
    applicationName: 'macbatch-admin',
    settings: {},
    standby,
  });
  try {
    return await connection.orLost(work(connection.sql));
  } finally {
    await connection.end();
  }
}
