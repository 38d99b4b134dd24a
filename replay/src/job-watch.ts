import postgres from 'postgres';

/** The model of jobs that only make a control plane warm. They are no part of a run. */
export const WARM_UP = 'warm-up';

/** How the jobs of a run stand. */
export interface Standing {
  readonly open: number;
  /** Items with an outcome, or whose task has failed. */
  readonly ended: number;
  /** Milliseconds since 1970 by the fast clock; null while a job is open. */
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
    const rows = await this.#jobs();
    const ends = rows.map(({ endedAt }) => endedAt).filter((at) => at !== null);
    const open = rows.length - ends.length;
    return {
      open,
      ended: rows.reduce((total, { ended }) => total + ended, 0),
      lastEndedAt: open === 0 && ends.length > 0 ? Math.max(...ends) : null,
    };
  }

  /** Milliseconds since 1970 by the fast clock at which each job ended; null where it has not. */
  async ends(jobIds: readonly string[]): Promise<(number | null)[]> {
    const at = new Map((await this.#jobs()).map(({ id, endedAt }) => [id, endedAt]));
    return jobIds.map((id) => at.get(id) ?? null);
  }

  /** Two reports that end a job at once leave it to its next reader to write its end down: there is none here. */
  async #jobs(): Promise<{ readonly id: string; readonly ended: number; readonly endedAt: number | null }[]> {
    const rows = await this.#sql<{ id: string; ended: number; left: number; at: number }[]>`
      select jobs.id::text, sum(items_ok + items_error + items_failed)::int as ended,
        sum(pending + leased)::int as left,
        (extract(epoch from coalesce(jobs.finished_at, max(last_at))) * 1000)::float8 as at
      from jobs join job_tallies on job_id = jobs.id where model <> ${WARM_UP} group by jobs.id`;
    return rows.map(({ id, ended, left, at }) => ({ id, ended, endedAt: left === 0 ? at : null }));
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
