import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { type NoArguments, statement } from '../database/statement.ts';

interface OldestTransaction {
  readonly seconds: number;
  /** The name that its session gives itself. */
  readonly application: string;
  readonly pid: number;
}

/** How far vacuum lags behind: it keeps every row that was deleted after the oldest open transaction began. */
export interface TransactionAge {
  /** Null if no other transaction is open in this database, or if this role may not see those of others. */
  readonly oldest: OldestTransaction | null;
  /** Transactions since the oldest row that is not frozen. Postgres refuses writes at about 2 billion. */
  readonly idAge: number;
}

const readOldestTransaction = statement<NoArguments, OldestTransaction>(
  () => sql`
  select extract(epoch from clock_timestamp() - xact_start)::float8 as seconds, application_name as application, pid
  from pg_stat_activity
  where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()
    and backend_type = 'client backend'
  order by xact_start limit 1`,
);

const readIdAge = statement<NoArguments, { readonly age: number }>(
  () => sql`select age(datfrozenxid) as age from pg_database where datname = current_database()`,
);

/** Reads the oldest open transaction and the age of transaction ids. */
export async function readTransactionAge({ durable }: ConnectionPools): Promise<TransactionAge> {
  const [[oldest], { age }] = await Promise.all([readOldestTransaction.run(durable), readIdAge.one(durable)]);
  return { oldest: oldest ?? null, idAge: age };
}
