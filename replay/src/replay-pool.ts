import { join } from 'node:path';
import { Client } from '@macbatch/client';
import { baseMachine } from './base-machine.ts';
import { type Estimate, fetchEstimate } from './estimates.ts';
import { ideal } from './ideal.ts';
import { JobWatch } from './job-watch.ts';
import { Mac } from './mac.ts';
import { playOutages, playPower } from './mac-life.ts';
import { BadItemRuns, macRuntime } from './mac-runtime.ts';
import type { Machine } from './machine.ts';
import type { Measured, PoolTask } from './measured.ts';
import { openNetwork } from './network.ts';
import { productMachine } from './product-machine.ts';
import { workloadOf } from './scenarios.ts';
import { submit, submitLater } from './submission.ts';
import { type EndOfRun, summary } from './summary.ts';
import type { MacTrace } from './trace.ts';
import { warmUp } from './warm-up.ts';
import type { RoundTrips } from './wire.ts';
import { itemCount, workerIdOf } from './workload.ts';

// Real time.
const POLL_MS = 100;
const PROGRESS_INTERVAL_MS = 10_000;
/** Real time for workers to start before the first job is submitted. */
const START_MS = 2000;

/** Replays a scenario with a pool of Macs and measures it. Must run in a process with a fast clock. */
export async function replayPool(task: PoolTask, report: (text: string) => void): Promise<Measured> {
  const { scenario, seed, rules, controlUrl, factor } = task;
  const workload = workloadOf(scenario, seed);
  const client = new Client({ baseUrl: controlUrl });
  const watch = new JobWatch(task.databaseUrl);
  const over = new AbortController();
  const badItems = new BadItemRuns();
  const roundTrips: RoundTrips = [];
  const logged: Record<string, number> = {};
  const log = (event: string) => {
    logged[event] = (logged[event] ?? 0) + 1;
  };
  let beganAt: number | null = null;
  const clock = () => (beganAt === null ? Number.NEGATIVE_INFINITY : (Date.now() - beganAt) / 1000);

  await using networks = new AsyncDisposableStack();
  const networkOf = async (trace: MacTrace) => {
    if (trace.offline.length === 0) return null;
    return networks.use(await openNetwork(controlUrl));
  };
  const playbacks: Promise<void>[] = [];
  const macs: Mac[] = [];
  for (const [n, trace] of workload.macs.entries()) {
    const mac = new Mac({ speed: trace.speed, slots: trace.slots, loadSeconds: workload.loadSeconds });
    macs.push(mac);
    const network = await networkOf(trace);
    const common = {
      workerId: workerIdOf(n),
      controlUrl: network?.url ?? controlUrl,
      mac,
      runtime: macRuntime(mac, workload, badItems),
      roundTrips,
    };
    const machine: Machine =
      rules === 'base'
        ? baseMachine(common)
        : productMachine({ ...common, stateDir: join(task.stateDir, common.workerId), log });
    playbacks.push(playPower(machine, trace, clock, over.signal));
    if (network !== null) playbacks.push(playOutages(network, trace.offline, clock, over.signal));
  }

  await warmUp(client);
  await delay(START_MS * factor);
  roundTrips.length = 0;
  const before = await requestsOf(controlUrl);
  const first = await submit(client, workload, 0, rules);
  const began = Date.now();
  beganAt = began;
  const beganAtMonotonic = performance.now() / 1000;
  const later = workload.jobs
    .slice(1)
    .map((_, n) => submitLater(client, workload, n + 1, rules, clock, over.signal));

  const bound = ideal(workload.macs, workload.jobs);
  const latest = workload.jobs.reduce((at, job) => Math.max(at, job.at), 0);
  const total = itemCount(workload);
  const estimates: Estimate[] = [];
  let reportedAt = began;
  let end: number | null = null;
  while (end === null && clock() < task.most * bound) {
    await delay(POLL_MS * factor);
    const { open, ended, lastEndedAt } = await watch.progress();
    // Only after the last job was submitted.
    if (open === 0 && clock() > latest && ended === total) end = lastEndedAt;
    if (Date.now() - reportedAt > PROGRESS_INTERVAL_MS * factor) {
      reportedAt = Date.now();
      const estimate = rules === 'base' ? null : await fetchEstimate(client, first, clock());
      if (estimate !== null) estimates.push(estimate);
      report(`${Math.round(clock())} s (ideal ${Math.round(bound)}): ${ended} of ${total} items`);
    }
  }
  const endOfRun: EndOfRun = {
    began,
    estimates,
    makespan: end === null ? clock() : (end - began) / 1000,
    cutOff: end === null,
    ideal: bound,
    requests: since(before, await requestsOf(controlUrl)),
    executed: sum(macs.map(({ executed }) => executed)),
    slotSeconds: sum(macs.map(({ slotSeconds }) => slotSeconds)),
    lateness: macs.flatMap(({ lateness }) => lateness),
    roundTrips: [...roundTrips],
    loads: macs.flatMap(({ loads }, n) =>
      loads.map(({ model, at }) => ({ worker: workerIdOf(n), model, at: Math.round(at - beganAtMonotonic) })),
    ),
    crashes: sum(macs.map(({ crashes }) => crashes)),
    badItemRuns: badItems.counts,
    logged: { ...logged },
  };
  over.abort();
  const jobIds = [first, ...(await Promise.all(later))].filter((id) => id !== null);
  await Promise.all(playbacks);
  const measured = await summary(task, workload, watch, jobIds, endOfRun);
  await watch.close();
  return measured;
}

type Counts = Readonly<Record<string, number>>;

async function requestsOf(controlUrl: string): Promise<Counts> {
  const reply = await fetch(`${controlUrl}/replay/requests`);
  return (await reply.json()) as Counts;
}

function since(before: Counts, now: Counts): Counts {
  return Object.fromEntries(Object.entries(now).map(([kind, count]) => [kind, count - (before[kind] ?? 0)]));
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
