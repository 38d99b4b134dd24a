import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOURS, workload } from './plan.ts';
import { CONCURRENCY, type ProtocolRun } from './protocol-run.ts';

/** Submits the job, and stores the number of its items outside the database. */
export async function seedLedger(protocol: ProtocolRun): Promise<number> {
  const { client, items, secondsPerHour, folder } = protocol.options;
  const load = workload(secondsPerHour * HOURS.end, protocol.workers.length * CONCURRENCY, items);
  async function* lines(): AsyncGenerator<string, void, undefined> {
    yield JSON.stringify({
      job_type: 'noop',
      model: 'noop',
      shard_size: load.shardSize,
      retry_on: 'errors',
      reuse: 'ledger',
      // Other parameters give other keys, so no outcome of an earlier run is reused.
      params: { protocol: crypto.randomUUID() },
    });
    for (let n = 0; n < load.items; n += 1)
      yield JSON.stringify({ id: `item-${n}`, payload: { n, ms: load.itemMs } });
  }
  const { job } = await client.submit(lines, { signal: protocol.interrupted });
  protocol.jobId = job.id;
  writeFileSync(join(folder, 'count.json'), JSON.stringify({ job: job.id, items: load.items }));
  protocol.record(
    0,
    'seed the ledger',
    'all submitted items are there',
    job.items.total === load.items,
    `${job.items.total} items`,
  );
  return load.items;
}
