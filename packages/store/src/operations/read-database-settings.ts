import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { type NoArguments, statement } from '../database/statement.ts';
import { readTransactionAge, type TransactionAge } from './transaction-age.ts';

interface SettingsRow {
  readonly server_version: string;
  readonly synchronous_commit: string;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly autovacuum: string;
  readonly max_connections: number;
  readonly reserved_connections: number;
  readonly used_connections: number;
  readonly bytes: number;
}

const readSettings = statement<NoArguments, SettingsRow>(
  () => sql`
  select current_setting('server_version') as server_version,
    -- Of this session, which is one of the control plane's own.
    current_setting('synchronous_commit') as synchronous_commit,
    current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
    current_setting('autovacuum') as autovacuum, current_setting('max_connections')::int as max_connections,
    current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true)::int, 0) as reserved_connections,
    (select count(*) from pg_stat_activity where backend_type = 'client backend')::int as used_connections,
    pg_database_size(current_database())::float8 as bytes`,
);

/**
 * The settings of the database server that decide whether an acknowledged result survives a crash, and how many
 * control planes can connect.
 */
export interface DatabaseSettings {
  readonly serverVersion: string;
  readonly synchronousCommit: string;
  readonly fsync: boolean;
  readonly fullPageWrites: boolean;
  readonly autovacuum: boolean;
  readonly maxConnections: number;
  /** Connections that only superusers and the like can use. */
  readonly reservedConnections: number;
  readonly usedConnections: number;
  /** Most connections that one control plane opens. */
  readonly connectionsEach: number;
  readonly bytes: number;
  readonly transactions: TransactionAge;
}

export async function readDatabaseSettings(connections: ConnectionPools): Promise<DatabaseSettings> {
  const [row, transactions] = await Promise.all([
    readSettings.one(connections.durable),
    readTransactionAge(connections),
  ]);
  return {
    serverVersion: row.server_version,
    synchronousCommit: row.synchronous_commit,
    fsync: row.fsync === 'on',
    fullPageWrites: row.full_page_writes === 'on',
    autovacuum: row.autovacuum === 'on',
    maxConnections: row.max_connections,
    reservedConnections: row.reserved_connections,
    usedConnections: row.used_connections,
    connectionsEach: connections.maxConnections,
    bytes: row.bytes,
    transactions,
  };
}
