import type postgres from 'postgres';

/** A prune of every job that ended more than 30 days ago. */
export const PRUNE_ALL = { olderThanSeconds: 30 * 24 * 3600, rowLimit: 1_000_000 };

/** Moves the end of a job back by this many days. */
export async function moveEndBack(sql: postgres.Sql, jobId: string, days: number): Promise<void> {
  await sql`
    update jobs set finished_at = finished_at - make_interval(days => ${days}), cancelled_at = cancelled_at - make_interval(days => ${days})
    where id = ${jobId}`;
}

/** Counts the rows of a job in all tables. */
export async function rowsOf(sql: postgres.Sql, jobId: string): Promise<number> {
  const [row] = await sql<{ rows: number }[]>`
    select ((select count(*) from jobs where id = ${jobId}) + (select count(*) from items where job_id = ${jobId})
      + (select count(*) from tasks where job_id = ${jobId}) + (select count(*) from results where job_id = ${jobId})
      + (select count(*) from ledger where job_id = ${jobId}) + (select count(*) from job_tallies where job_id = ${jobId})
      + (select count(*) from events where job_id = ${jobId}) + (select count(*) from job_models where job_id = ${jobId}))::int as rows`;
  return row?.rows ?? Number.NaN;
}
