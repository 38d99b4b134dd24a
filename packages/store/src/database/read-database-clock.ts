import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { type NoArguments, statement } from './statement.ts';

const readClock = statement<NoArguments, { readonly now: Date }>(() => sql`select clock_timestamp() as now`);

/** Reads the database's clock, which decides when leases end and workers count as alive. */
export async function readDatabaseClock({ durable }: ConnectionPools): Promise<Date> {
  return (await readClock.one(durable)).now;
}
