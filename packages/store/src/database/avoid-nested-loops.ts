import type postgres from 'postgres';

/**
 * Has the rest of a transaction join tables by hash or by merge only. Statements over all rows of a new job need this:
 * no statistics know the job yet, so Postgres expects one row of it, and would then run the inner side of a join once
 * for each row. A lookup by primary key in a `lateral` subquery with ` ` still runs once for each row.
 */
export async function avoidNestedLoops(tx: postgres.Sql): Promise<void> {
  await tx`set local enable_nestloop = off`;
}
