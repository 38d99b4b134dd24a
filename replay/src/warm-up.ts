import type { Client } from '@macbatch/client';
import { WARM_UP } from './job-watch.ts';
import { JOB_TYPE } from './mac-runtime.ts';

const WORKER = 'warm-up';
const ROUNDS = 30;
const TASKS_PER_ROUND = 10;

/**
 * Sends a control plane requests of every kind, for a model that no Mac of the run offers. The first requests of each
 * kind take much longer than later ones, and with a fast clock they would take minutes.
 */
export async function warmUp(client: Client): Promise<void> {
  const offers = [{ job_type: JOB_TYPE, model: WARM_UP } as const];
  const sendHeartbeat = (renew: readonly { readonly task_id: string; readonly attempt: number }[]) =>
    client.call('heartbeat', {
      body: {
        worker_id: WORKER,
        boot_id: WORKER,
        hostname: WORKER,
        job_types: [],
        models: [],
        concurrency: 1,
        lease_limit: TASKS_PER_ROUND,
        renew: [...renew],
      },
    });
  await sendHeartbeat([]);
  await client.submit(async function* () {
    yield JSON.stringify({ job_type: JOB_TYPE, model: WARM_UP, shard_size: 1 });
    for (let n = 0; n < ROUNDS * TASKS_PER_ROUND; n += 1) yield JSON.stringify({ id: `${n}`, payload: n });
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    const { tasks } = await client.call('leaseTasks', {
      body: { worker_id: WORKER, boot_id: WORKER, lease_limit: TASKS_PER_ROUND, offers, renews: true },
    });
    const [first, ...rest] = tasks.map(({ task_id, attempt, items }) => ({
      name: { task_id, attempt },
      items,
    }));
    if (first === undefined) return;
    await sendHeartbeat(tasks.map(({ task_id, attempt }) => ({ task_id, attempt })));
    await client.call('releaseTasks', { body: { worker_id: WORKER, tasks: [first.name] } });
    const entries = rest.map(({ name, items }) => ({
      ...name,
      outcomes: items.map(({ item_id }) => ({ item_id, output: '0' })),
      final: true,
    }));
    if (entries.length > 0) await client.call('completeBatch', { body: { worker_id: WORKER, entries } });
  }
}
