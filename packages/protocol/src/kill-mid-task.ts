import { HOURS } from './plan.ts';
import type { ProtocolRun } from './protocol-run.ts';
import type { ProtocolWorker } from './protocol-worker.ts';
import type { KillCost } from './report.ts';

/** A worker that is killed while it holds tasks loses them, and others run them. */
export async function killMidTask(protocol: ProtocolRun): Promise<void> {
  const [victim] = protocol.workers;
  const before = await protocol.job();
  const holding = await protocol.soon(
    async () => (await protocol.leased(victim.name)) > 0,
    protocol.patienceSeconds,
  );
  const tasks = await protocol.leased(victim.name);
  const held = victim.leases();
  await victim.kill();
  const killedAt = Date.now();
  // It stays away until its leases have been taken back: that is what is looked at.
  const back = await protocol.soon(
    async () =>
      (await protocol.leased(victim.name)) === 0 &&
      (await protocol.job()).lease_expired_events > before.lease_expired_events,
    protocol.leaseSeconds + protocol.patienceSeconds,
  );
  const name = 'kill -9 a worker mid-task';
  const found = `${tasks} leased at the kill, ${await protocol.leased(victim.name)} after ${((Date.now() - killedAt) / 1000).toFixed(1)} s`;
  protocol.note(HOURS.kill, name, 'its leased tasks come back', holding && back, found);
  protocol.kills.push(await costOf(protocol, victim, held, killedAt));
  victim.start();
  await protocol.soon(async () => victim.boots().length === 2, protocol.patienceSeconds);
}

/** Who took over what a killed worker held, and when. */
async function costOf(
  protocol: ProtocolRun,
  victim: ProtocolWorker,
  held: ReturnType<ProtocolWorker['leases']>,
  killedAt: number,
): Promise<KillCost> {
  const latest = new Map(held.map((lease) => [lease.taskId, lease.attempt]));
  const again = () =>
    protocol.workers
      .flatMap((worker) => worker.leases())
      .filter(
        ({ taskId, attempt, at }) =>
          at >= killedAt && attempt > (latest.get(taskId) ?? Number.POSITIVE_INFINITY),
      );
  await protocol.soon(async () => again().length > 0, protocol.patienceSeconds);
  const leases = again();
  return {
    worker: victim.name,
    tasks: leases.length,
    rerunItems: leases.reduce((sum, lease) => sum + lease.items, 0),
    seconds: leases.length === 0 ? null : (Math.max(...leases.map(({ at }) => at)) - killedAt) / 1000,
  };
}
