/** Seconds without a lease after which a job goes before all others, so that none starves. */
export const STARVING_AFTER_SECONDS = 600;

/** `shortest`: by priority, then fewest items left, then oldest. `fifo`: oldest first, without priority. */
export type JobOrder = 'shortest' | 'fifo';

/** What the order of jobs depends on. Times are milliseconds by the database's clock. */
export interface WaitingJob {
  /** Ids grow with the time of submission. */
  readonly id: string;
  readonly priority: number;
  /** Items without an outcome. */
  readonly itemsLeft: number;
  /** When the job got its last lease, or was submitted if it had none. */
  readonly lastServedAt: number;
}

/** Whether a job has waited for a lease for `times` the starving time or longer. */
export function isStarving({ lastServedAt }: WaitingJob, now: number, times = 1): boolean {
  return now - lastServedAt >= times * STARVING_AFTER_SECONDS * 1000;
}

/** Sorts jobs into the order in which they are served. Returns a new array. */
export function orderJobs<Job extends WaitingJob>(jobs: readonly Job[], order: JobOrder, now: number): Job[] {
  const starving = (job: Job) => isStarving(job, now);
  const byAge = (a: Job, b: Job) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
  if (order === 'fifo') return jobs.toSorted(byAge);
  return jobs.toSorted(
    (a, b) =>
      Number(starving(b)) - Number(starving(a)) ||
      (starving(a) ? a.lastServedAt - b.lastServedAt : 0) ||
      b.priority - a.priority ||
      a.itemsLeft - b.itemsLeft ||
      byAge(a, b),
  );
}
