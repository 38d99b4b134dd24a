import { HOURS } from './plan.ts';
import type { ProtocolRun } from './protocol-run.ts';

/** Restarts a worker on a wiped host, and checks that it has a new boot and that the job continues. */
export async function restartWiped(protocol: ProtocolRun): Promise<void> {
  const [, host] = protocol.workers;
  const before = host.boots();
  await host.kill();
  host.wipe();
  const { items } = await protocol.job();
  host.start();
  const booted = await protocol.waitFor(
    async () => host.boots().length > before.length,
    protocol.patienceSeconds,
  );
  const boot = host.boots().at(-1);
  const isNew =
    booted && boot !== undefined && !boot.recordFound && before.every(({ bootId }) => bootId !== boot.bootId);
  const ended = items.ok + items.error + items.failed;
  const continues = await protocol.waitFor(async () => {
    const now = await protocol.job();
    return now.items.ok + now.items.error + now.items.failed > ended || now.items.open === 0;
  }, protocol.leaseSeconds + protocol.patienceSeconds);
  const found = `boot ${boot?.bootId ?? 'missing'}, record ${boot?.recordFound === true ? 'found' : 'not found'}, the job ${continues ? 'continues' : 'makes no progress'}`;
  protocol.record(
    HOURS.restart,
    'restart a host with its temp folder wiped',
    'a new boot id, no record, the job continues',
    isNew && continues,
    found,
  );
}
