import type { JobView } from '@macbatch/contract';
import { HOURS } from './plan.ts';
import type { ProtocolRun } from './protocol-run.ts';

/** The end may come later than planned by so many times what else is waited for. */
const LATE = 5;

/** Nothing is there twice. */
export async function lookForDuplicates(
  protocol: ProtocolRun,
  hour: number,
): Promise<{ readonly byItem: number; readonly byKey: number }> {
  const audit = await protocol.client.call('auditJob', { params: { id: protocol.jobId } });
  const { duplicate_items: byItem, duplicate_keys: byKey } = audit;
  const found = `${byItem} by job and item, ${byKey} by key`;
  protocol.note(hour, 'look for duplicates', 'none', byItem === 0 && byKey === 0, found);
  return { byItem, byKey };
}

/** What is there is as much as was counted outside. */
export async function compareCounts(protocol: ProtocolRun, count: number): Promise<JobView> {
  await protocol.soon(
    async () => (await protocol.job()).items.open === 0,
    LATE * protocol.patienceSeconds + protocol.leaseSeconds,
  );
  const job = await protocol.job();
  const bad = job.items.error + job.items.failed;
  const held = job.items.ok + bad === count && job.items.open === 0;
  const found = `${job.items.ok} + ${bad} of ${count}`;
  protocol.note(HOURS.end, 'compare done + failed with the count outside', 'equal', held, found);
  return job;
}
