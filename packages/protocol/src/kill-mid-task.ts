import { HOURS } from './plan.ts';
import type { ProtocolRun } from './protocol-run.ts';
import type { ProtocolWorker } from './protocol-worker.ts';
import type { KillCost } from './report.ts';

/** Kills a worker while it holds tasks, and checks that its tasks go back to pending. */
export async function killMidTask(protocol: ProtocolRun): Promise<void> {
  const [victim] = protocol.workers;
  const before = await protocol.job();
  const heldTasks = await protocol.waitFor(
    async () => (await protocol.leasedTasks(victim.name)) > 0,
    protocol.patienceSeconds,
  );
  const tasks = await protocol.leasedTasks(victim.name);
  const leases = victim.leases();
  await victim.kill();
  const killedAt = Date.now();
  // The worker stays dead until its leases have expired.
  const cameBack = await protocol.waitFor(
    async () =>
      (await protocol.leasedTasks(victim.name)) === 0 &&
      (await protocol.job()).lease_expired_events > before.lease_expired_events,
    protocol.leaseSeconds + protocol.patienceSeconds,
  );
  const name = 'kill -9 a worker mid-task';
  const found = `${tasks} leased at the kill, ${await protocol.leasedTasks(victim.name)} after ${((Date.now() - killedAt) / 1000).toFixed(1)} s`;
  protocol.record(HOURS.kill, name, 'its leased tasks come back', heldTasks && cameBack, found);
  protocol.kills.push(await costOf(protocol, victim, leases, killedAt));
  victim.start();
  await protocol.waitFor(async () => victim.boots().length === 2, protocol.patienceSeconds);
}

/** Finds the leases that took over the tasks of a killed worker. */
async function costOf(
  protocol: ProtocolRun,
  victim: ProtocolWorker,
  lostLeases: ReturnType<ProtocolWorker['leases']>,
  killedAt: number,
): Promise<KillCost> {
  const latest = new Map(lostLeases.map((lease) => [lease.taskId, lease.attempt]));
  const takeovers = () =>
    protocol.workers
      .flatMap((worker) => worker.leases())
      .filter(
        ({ taskId, attempt, at }) =>
          at >= killedAt && attempt > (latest.get(taskId) ?? Number.POSITIVE_INFINITY),
      );
  await protocol.waitFor(async () => takeovers().length > 0, protocol.patienceSeconds);
  const leases = takeovers();
  return {
    worker: victim.name,
    tasks: leases.length,
    rerunItems: leases.reduce((sum, lease) => sum + lease.items, 0),
    seconds: leases.length === 0 ? null : (Math.max(...leases.map(({ at }) => at)) - killedAt) / 1000,
  };
}
