import postgres from 'postgres';

/** The model of jobs that only warm up a control plane. They do not count in a run. */
export const WARM_UP = 'warm-up';

/** The progress of the jobs of a run. */
export interface Progress {
  readonly open: number;
  /** Items with an outcome, or whose task has failed. */
  readonly ended: number;
  /** Milliseconds since 1970 of the fast clock. Null while a job is open. */
  readonly lastEndedAt: number | null;
}

/**
 * Reads the jobs directly from the database. (A request for a job would reclaim expired leases; in a replay only the
 * workers' requests should.)
 */
export class JobWatch {
  readonly #sql: postgres.Sql;

  constructor(databaseUrl: string) {
    const url = new URL(databaseUrl);
    url.searchParams.delete('connect_timeout');
    this.#sql = postgres(url.href, { max: 1, connect_timeout: 0, idle_timeout: 0, max_lifetime: null });
  }

  /** Reads the progress of all jobs. */
  async progress(): Promise<Progress> {
    const rows = await this.#jobs();
    const ends = rows.map(({ endedAt }) => endedAt).filter((at) => at !== null);
    const open = rows.length - ends.length;
    return {
      open,
      ended: rows.reduce((total, { ended }) => total + ended, 0),
      lastEndedAt: open === 0 && ends.length > 0 ? Math.max(...ends) : null,
    };
  }

  /** Returns the end of each job in milliseconds since 1970 of the fast clock. Null if the job is open. */
  async ends(jobIds: readonly string[]): Promise<(number | null)[]> {
    const at = new Map((await this.#jobs()).map(({ id, endedAt }) => [id, endedAt]));
    return jobIds.map((id) => at.get(id) ?? null);
  }

  /** Without `finished_at`, uses the last report: after two simultaneous reports, only a reader of the job sets it. */
  async #jobs(): Promise<{ readonly id: string; readonly ended: number; readonly endedAt: number | null }[]> {
    const rows = await this.#sql<{ id: string; ended: number; left: number; at: number }[]>`
      select jobs.id::text, sum(items_ok + items_error + items_failed)::int as ended,
        sum(pending + leased)::int as left,
        (extract(epoch from coalesce(jobs.finished_at, max(last_at))) * 1000)::float8 as at
      from jobs join job_tallies on job_id = jobs.id where model <> ${WARM_UP} group by jobs.id`;
    return rows.map(({ id, ended, left, at }) => ({ id, ended, endedAt: left === 0 ? at : null }));
  }

  /** Returns the sequence numbers of the items that have an output. */
  async succeeded(jobId: string): Promise<number[]> {
    const rows = await this.#sql<{ seq: number }[]>`
      select seq from results where job_id = ${jobId} and output is not null`;
    return rows.map(({ seq }) => seq);
  }

  /** Counts leases over all jobs. */
  async leases(): Promise<{ readonly granted: number; readonly expired: number }> {
    const [row] = await this.#sql<{ granted: number; expired: number }[]>`
      select coalesce(sum(leases_granted), 0)::int as granted, coalesce(sum(leases_expired), 0)::int as expired
      from job_tallies where job_id in (select id from jobs where model <> ${WARM_UP})`;
    return row ?? { granted: 0, expired: 0 };
  }

  /** Returns when the last lease of a worker expired, in milliseconds since 1970 of the fast clock. */
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
