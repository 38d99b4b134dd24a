import { sql } from 'drizzle-orm';
import { ledger, results } from '../database/schema.ts';
import { statement } from '../database/statement.ts';

/** Counts the idempotency keys, in hex, for which the ledger of an owner has an output. */
export const countKnownKeys = statement<
  { owner: string; keys: readonly string[] },
  { readonly count: number }
>(
  (arg) => sql`
  select count(*)::int as count
  from unnest(${arg.keys('text[]')}) as wanted (key)
  cross join lateral (
    select from ${ledger}
    join ${results} on ${results.jobId} = ${ledger.jobId} and ${results.seq} = ${ledger.seq} and ${results.output} is not null
    where ${ledger.owner} = ${arg.owner('text')} and ${ledger.key} = decode(wanted.key, 'hex')
    offset 0 -- looked up by primary key for each wanted one, whatever the statistics say
  ) as known`,
);
