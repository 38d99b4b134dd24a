import { awakeSeconds } from './awake-time.ts';
import { type Estimate, errorOf } from './estimates.ts';
import { ideal } from './ideal.ts';
import type { JobWatch } from './job-watch.ts';
import { type Measured, type PoolTask, spreadOf } from './measured.ts';
import { goodWork, itemCount, type Workload, workerIdOf } from './workload.ts';

/** What was read off the clocks and counters at the moment when a run ended. */
export interface Clocked
  extends Pick<
    Measured,
    'makespan' | 'cutOff' | 'ideal' | 'requests' | 'executed' | 'loads' | 'crashes' | 'badItemRuns' | 'logged'
  > {
  /** When the first job was submitted, in milliseconds since 1970 by the fast clock. */
  readonly began: number;
  readonly estimates: readonly Estimate[];
  readonly slotSeconds: number;
  readonly lateness: readonly number[];
  readonly roundTrips: readonly number[];
}

/** What a run comes to, with what the database knows of it. */
export async function summary(
  task: PoolTask,
  workload: Workload,
  watch: JobWatch,
  jobIds: readonly string[],
  { began, estimates, slotSeconds, lateness, roundTrips, ...clocked }: Clocked,
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
  const slots = workload.macs.reduce(
    (total, mac) => total + mac.slots * awakeSeconds(mac, clocked.makespan),
    0,
  );
  // What comes late to a job that has ended moves what is known of its end.
  const seconds = ends.map((at) =>
    Math.min(clocked.makespan, ((at ?? Number.POSITIVE_INFINITY) - began) / 1000),
  );
  return {
    scenario,
    rules,
    seed,
    factor,
    ...clocked,
    items: itemCount(workload),
    goodItemsFailed: itemCount(workload) - bad - succeeded,
    share: accepted / goodWork(workload),
    accepted,
    leasesGranted: granted,
    leasesExpired: expired,
    jobs: workload.jobs.map((job, n) => ({
      seconds: (seconds[n] ?? clocked.makespan) - job.at,
      alone: ideal(workload.macs, [job]) - job.at,
    })),
    noticedAfter: await noticedAfter(workload, watch, began),
    ...(rules === 'product' ? { estimateError: errorOf(estimates, seconds[0] ?? clocked.makespan) } : {}),
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
