import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { items, ledger, results } from '../database/schema.ts';
import { statement } from '../database/statement.ts';

export interface AuditRow {
  readonly items: number;
  readonly outcomes: number;
  readonly duplicate_items: number;
  readonly duplicate_keys: number;
}

const countDuplicates = statement<{ job: string }, AuditRow>(
  (arg) => sql`
  select
    (select count(*)::int from ${items} where ${items.jobId} = ${arg.job('uuid')}) as items,
    (select count(distinct ${results.seq})::int from ${results} where ${results.jobId} = ${arg.job('uuid')}) as outcomes,
    (select count(*)::int from (
      select from ${results} where ${results.jobId} = ${arg.job('uuid')} group by ${results.seq} having count(*) > 1
    ) as repeated) as duplicate_items,
    (select count(*)::int from (
      select from ${ledger}
      where ${ledger.key} in (select ${items.key} from ${items} where ${items.jobId} = ${arg.job('uuid')})
      group by ${ledger.owner}, ${ledger.key} having count(*) > 1
    ) as repeated) as duplicate_keys`,
);

/**
 * Counts a job's items with more than one outcome, and its idempotency keys with more than one row in the ledger.
 * Primary keys make both impossible; this count does not rely on them.
 */
export function auditJob({ long }: ConnectionPools, id: string): Promise<AuditRow> {
  return countDuplicates.one(long, { job: id });
}
