import type postgres from 'postgres';

/** Lets every lease that is held now have ended an hour ago, as if its worker's lid had been closed. */
export async function expireLeases(sql: postgres.Sql): Promise<void> {
  await sql`update tasks set lease_until = now() - interval '1 hour' where status = 'leased'`;
}

/** How many rows each table holds. */
export async function rowCounts(sql: postgres.Sql): Promise<Record<string, number>> {
  const [counts] = await sql<Record<string, number>[]>`
    select (select count(*)::int from jobs) as jobs, (select count(*)::int from items) as items,
      (select count(*)::int from tasks) as tasks, (select count(*)::int from leases) as leases,
      (select count(*)::int from results) as results, (select count(*)::int from workers) as workers,
      (select count(*)::int from events) as events, (select count(*)::int from job_tallies) as job_tallies,
      (select count(*)::int from models) as models, (select count(*)::int from job_models) as job_models`;
  if (counts === undefined) throw new Error('the count answered nothing');
  return counts;
}
