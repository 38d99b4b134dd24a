/** A job that has got no lease for so long comes before all others, so that none starves. */
export const STARVING_AFTER_SECONDS = 600;

/** `shortest`: by priority, then fewest items left, then oldest. `fifo`: oldest first, whatever else. */
export type JobOrder = 'shortest' | 'fifo';

/** What the order between jobs goes by. Times are milliseconds by the database's clock. */
export interface WaitingJob {
  /** Ids grow with the time of submission. */
  readonly id: string;
  readonly priority: number;
  /** Items that have no outcome yet. */
  readonly itemsLeft: number;
  /** When it got its last lease, or was submitted where it has had none. */
  readonly lastServedAt: number;
}

/** Whether a job has waited for a lease for so long that it comes before all others, or so many times as long. */
export function isStarving({ lastServedAt }: WaitingJob, now: number, times = 1): boolean {
  return now - lastServedAt >= times * STARVING_AFTER_SECONDS * 1000;
}

/** The jobs in the order in which they are to be served: a new array. */
export function orderJobs<Job extends WaitingJob>(jobs: readonly Job[], order: JobOrder, now: number): Job[] {
  const starved = (job: Job) => isStarving(job, now);
  const oldest = (a: Job, b: Job) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
  if (order === 'fifo') return jobs.toSorted(oldest);
  return jobs.toSorted(
    (a, b) =>
      Number(starved(b)) - Number(starved(a)) ||
      (starved(a) ? a.lastServedAt - b.lastServedAt : 0) ||
      b.priority - a.priority ||
      a.itemsLeft - b.itemsLeft ||
      oldest(a, b),
  );
}
