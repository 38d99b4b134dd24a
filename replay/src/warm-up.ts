import type { Client } from '@macbatch/client';
import { WARM_UP } from './job-watch.ts';
import { JOB_TYPE } from './mac-runtime.ts';

const WORKER = 'warm-up';
const ROUNDS = 30;
const TASKS_A_ROUND = 10;

/**
 * Has a control plane do everything that a run asks of it, for a model that no Mac of the run offers: its first
 * requests of each kind take many times as long as later ones, which a fast clock would make minutes.
 */
export async function warmUp(client: Client): Promise<void> {
  const offers = [{ job_type: JOB_TYPE, model: WARM_UP } as const];
  const beat = (renew: readonly { readonly task_id: string; readonly attempt: number }[]) =>
    client.call('heartbeat', {
      body: {
        worker_id: WORKER,
        boot_id: WORKER,
        hostname: WORKER,
        job_types: [],
        models: [],
        concurrency: 1,
        lease_limit: TASKS_A_ROUND,
        renew: [...renew],
      },
    });
  await beat([]);
  await client.submit(async function* () {
    yield JSON.stringify({ job_type: JOB_TYPE, model: WARM_UP, shard_size: 1 });
    for (let n = 0; n < ROUNDS * TASKS_A_ROUND; n += 1) yield JSON.stringify({ id: `${n}`, payload: n });
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    const { tasks } = await client.call('leaseTasks', {
      body: { worker_id: WORKER, boot_id: WORKER, lease_limit: TASKS_A_ROUND, offers, renews: true },
    });
    const [first, ...rest] = tasks.map(({ task_id, attempt, items }) => ({
      name: { task_id, attempt },
      items,
    }));
    if (first === undefined) return;
    await beat(tasks.map(({ task_id, attempt }) => ({ task_id, attempt })));
    await client.call('releaseTasks', { body: { worker_id: WORKER, tasks: [first.name] } });
    const entries = rest.map(({ name, items }) => ({
      ...name,
      outcomes: items.map(({ item_id }) => ({ item_id, output: '0' })),
      final: true,
    }));
    if (entries.length > 0) await client.call('completeBatch', { body: { worker_id: WORKER, entries } });
  }
}
