import type postgres from 'postgres';

/** Sets the end of every lease to an hour ago, as if the worker's lid had been closed. */
export async function makeLeasesPass(sql: postgres.Sql): Promise<void> {
  await sql`update tasks set lease_until = now() - interval '1 hour' where status = 'leased'`;
}

/** Counts the rows of each table. */
export async function rowCounts(sql: postgres.Sql): Promise<Record<string, number>> {
  const [counts] = await sql<Record<string, number>[]>`
    select (select count(*)::int from jobs) as jobs, (select count(*)::int from items) as items,
      (select count(*)::int from tasks) as tasks, (select count(*)::int from leases) as leases,
      (select count(*)::int from results) as results, (select count(*)::int from workers) as workers,
      (select count(*)::int from events) as events, (select count(*)::int from job_tallies) as job_tallies,
      (select count(*)::int from models) as models, (select count(*)::int from job_models) as job_models,
      (select count(*)::int from files) as files, (select count(*)::int from file_chunks) as file_chunks,
      (select count(*)::int from batches) as batches, (select count(*)::int from batch_jobs) as batch_jobs`;
  if (counts === undefined) throw new Error('The count returned no row.');
  return counts;
}

/** Resolves when this many sessions of the database wait for a lock. */
export async function waitForBlockedSession(sql: postgres.Sql, count = 1): Promise<void> {
  for (;;) {
    const waiting =
      await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    if (waiting.length >= count) return;
  }
}
