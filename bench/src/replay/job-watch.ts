import postgres from 'postgres';

/** The model of jobs that only make a control plane warm. They are no part of a run. */
export const WARM_UP = 'warm-up';

/** How the jobs of a run stand. */
export interface Standing {
  readonly open: number;
  /** Items with an outcome, or whose task has failed. */
  readonly ended: number;
  /** Milliseconds since 1970 by the fast clock; null while one is open. */
  readonly lastEndedAt: number | null;
}

/**
 * Looks at the jobs in the database itself: a request for a job would take expired leases back, which is for
 * the workers to bring about.
 */
export class JobWatch {
  readonly #sql: postgres.Sql;

  constructor(databaseUrl: string) {
    const url = new URL(databaseUrl);
    url.searchParams.delete('connect_timeout');
    this.#sql = postgres(url.href, { max: 1, connect_timeout: 0, idle_timeout: 0, max_lifetime: null });
  }

  async look(): Promise<Standing> {
    const [row] = await this.#sql<{ open: number; ended: number; last: number | null }[]>`
      with replayed as materialized (select id, finished_at from jobs where model <> ${WARM_UP})
      select (select count(*)::int from replayed where finished_at is null) as open,
        (select coalesce(sum(items_ok + items_error + items_failed), 0)::int
          from job_tallies where job_id in (select id from replayed)) as ended,
        (select (extract(epoch from max(finished_at)) * 1000)::float8 from replayed) as last`;
    if (row === undefined) throw new Error('the database answered nothing');
    return { open: row.open, ended: row.ended, lastEndedAt: row.open === 0 ? row.last : null };
  }

  /** Milliseconds since 1970 by the fast clock at which each job ended; null where it has not. */
  async ends(jobIds: readonly string[]): Promise<(number | null)[]> {
    const rows = await this.#sql<{ id: string; at: number | null }[]>`
      select id::text, (extract(epoch from finished_at) * 1000)::float8 as at from jobs`;
    const at = new Map(rows.map((row) => [row.id, row.at]));
    return jobIds.map((id) => at.get(id) ?? null);
  }

  /** Numbers of the items of a job that have an output. */
  async succeeded(jobId: string): Promise<number[]> {
    const rows = await this.#sql<{ seq: number }[]>`
      select seq from results where job_id = ${jobId} and output is not null`;
    return rows.map(({ seq }) => seq);
  }

  async leases(): Promise<{ readonly granted: number; readonly expired: number }> {
    const [row] = await this.#sql<{ granted: number; expired: number }[]>`
      select coalesce(sum(leases_granted), 0)::int as granted, coalesce(sum(leases_expired), 0)::int as expired
      from job_tallies where job_id in (select id from jobs where model <> ${WARM_UP})`;
    return row ?? { granted: 0, expired: 0 };
  }

  /** When the last lease of a worker was lost, in milliseconds since 1970 by the fast clock. */
  async lastExpiry(workerId: string): Promise<number | null> {
    const [row] = await this.#sql<{ at: number | null }[]>`
      select (extract(epoch from max(at)) * 1000)::float8 as at from events
      where kind = 'lease_expired' and worker_id = ${workerId}`;
    return row?.at ?? null;
  }

  async close(): Promise<void> {
    await this.#sql.end({ timeout: 1 });
  }
}
