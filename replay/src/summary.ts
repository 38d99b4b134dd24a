import { awakeSeconds } from './awake-time.ts';
import { type Estimate, estimateError } from './estimates.ts';
import { ideal } from './ideal.ts';
import type { JobWatch } from './job-watch.ts';
import { type Measured, type PoolTask, spreadOf } from './measured.ts';
import { goodWork, itemCount, type Workload, workerIdOf } from './workload.ts';

/** Clocks and counters at the end of a run. */
export interface EndOfRun
  extends Pick<
    Measured,
    'makespan' | 'cutOff' | 'ideal' | 'requests' | 'executed' | 'loads' | 'crashes' | 'badItemRuns' | 'logged'
  > {
  /** Time of the first submission, in milliseconds since 1970 of the fast clock. */
  readonly began: number;
  readonly estimates: readonly Estimate[];
  readonly slotSeconds: number;
  readonly lateness: readonly number[];
  readonly roundTrips: readonly number[];
}

/** Combines the end of a run with facts from the database into its results. */
export async function summary(
  task: PoolTask,
  workload: Workload,
  watch: JobWatch,
  jobIds: readonly string[],
  { began, estimates, slotSeconds, lateness, roundTrips, ...end }: EndOfRun,
): Promise<Measured> {
  const { scenario, rules, seed, factor } = task;
  let accepted = 0;
  let succeeded = 0;
  for (const [j, id] of jobIds.entries()) {
    for (const n of await watch.succeeded(id)) {
      accepted += workload.jobs[j]?.costs[n] ?? 0;
      succeeded += 1;
    }
  }
  const bad = workload.jobs.reduce((total, { poison }) => total + poison.size, 0);
  const ends = await watch.ends(jobIds);
  const { granted, expired } = await watch.leases();
  const slots = workload.macs.reduce((total, mac) => total + mac.slots * awakeSeconds(mac, end.makespan), 0);
  // Late reports to an ended job change the time of its last report.
  const seconds = ends.map((at) => Math.min(end.makespan, ((at ?? Number.POSITIVE_INFINITY) - began) / 1000));
  return {
    scenario,
    rules,
    seed,
    factor,
    ...end,
    items: itemCount(workload),
    goodItemsFailed: itemCount(workload) - bad - succeeded,
    share: accepted / goodWork(workload),
    accepted,
    leasesGranted: granted,
    leasesExpired: expired,
    jobs: workload.jobs.map((job, n) => ({
      seconds: (seconds[n] ?? end.makespan) - job.at,
      alone: ideal(workload.macs, [job]) - job.at,
    })),
    noticedAfter: await noticedAfter(workload, watch, began),
    ...(rules === 'product' ? { estimateError: estimateError(estimates, seconds[0] ?? end.makespan) } : {}),
    idle: 1 - slotSeconds / slots,
    lateness: spreadOf(lateness),
    roundTrip: spreadOf(roundTrips),
  };
}

async function noticedAfter(workload: Workload, watch: JobWatch, began: number): Promise<number | null> {
  const dead = workload.macs.findIndex(({ diesAt }) => diesAt !== null);
  const diesAt = workload.macs[dead]?.diesAt ?? null;
  if (diesAt === null) return null;
  const at = await watch.lastExpiry(workerIdOf(dead));
  return at === null ? null : (at - began) / 1000 - diesAt;
}
