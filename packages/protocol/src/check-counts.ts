import type { JobView } from '@macbatch/contract';
import { HOURS } from './plan.ts';
import type { ProtocolRun } from './protocol-run.ts';

/** The job may end later than planned, by this many patience times. */
const END_PATIENCE_FACTOR = 5;

/** Checks that no item and no idempotency key has two results. */
export async function checkDuplicates(
  protocol: ProtocolRun,
  hour: number,
): Promise<{ readonly byItem: number; readonly byKey: number }> {
  const audit = await protocol.client.call('auditJob', { params: { id: protocol.jobId } });
  const { duplicate_items: byItem, duplicate_keys: byKey } = audit;
  const found = `${byItem} by job and item, ${byKey} by key`;
  protocol.record(hour, 'look for duplicates', 'none', byItem === 0 && byKey === 0, found);
  return { byItem, byKey };
}

/** Checks that the job has as many ended items as were counted before the start. */
export async function compareCounts(protocol: ProtocolRun, count: number): Promise<JobView> {
  await protocol.waitFor(
    // With duplicates, more items have ended than the job has.
    async () => (await protocol.job()).items.open <= 0,
    END_PATIENCE_FACTOR * protocol.patienceSeconds + protocol.leaseSeconds,
  );
  const job = await protocol.job();
  const bad = job.items.error + job.items.failed;
  const passed = job.items.ok + bad === count && job.items.open === 0;
  const found = `${job.items.ok} + ${bad} of ${count}`;
  protocol.record(HOURS.end, 'compare done + failed with the count outside', 'equal', passed, found);
  return job;
}
