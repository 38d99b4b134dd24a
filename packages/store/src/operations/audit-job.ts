import { sql } from 'drizzle-orm';
import { items, ledger, results } from '../database/schema.ts';

export interface AuditRow {
  readonly items: number;
  readonly outcomes: number;
  readonly duplicate_items: number;
  readonly duplicate_keys: number;
}

/**
 * Counts what the primary keys of `results` and `ledger` make impossible, without trusting them: items of a
 * job with more than one outcome, and keys with more than one row in the ledger.
 */
export const auditJob = sql`
  select
    (select count(*)::int from ${items} where ${items.jobId} = ${sql.placeholder('job')}::uuid) as items,
    (select count(distinct ${results.seq})::int from ${results} where ${results.jobId} = ${sql.placeholder('job')}::uuid) as outcomes,
    (select count(*)::int from (
      select from ${results} where ${results.jobId} = ${sql.placeholder('job')}::uuid group by ${results.seq} having count(*) > 1
    ) as repeated) as duplicate_items,
    (select count(*)::int from (
      select from ${ledger}
      where ${ledger.key} in (select ${items.key} from ${items} where ${items.jobId} = ${sql.placeholder('job')}::uuid)
      group by ${ledger.owner}, ${ledger.key} having count(*) > 1
    ) as repeated) as duplicate_keys`;
