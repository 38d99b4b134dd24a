import type { Item } from '@macbatch/core';
import type { Store } from '@macbatch/store';

/** A payload of about 200 bytes. */
export const PAYLOAD = JSON.stringify({ text: 'x'.repeat(180) });
export const OUTPUT = '{"ok":true}';
export const OFFERS = [{ jobType: 'noop', model: 'noop' }] as const;

async function* manyItems(count: number): AsyncGenerator<Item, void, undefined> {
  for (let n = 0; n < count; n += 1) yield { id: `item-${n}`, payload: PAYLOAD };
}

/** Submits a job of no-op items. Returns its id. */
export async function submitNoops(store: Store, items: number, shardSize = 1): Promise<string> {
  const reply = await store.submit(
    { jobType: 'noop', model: 'noop', params: '{}', shardSize, retryOn: 'attempts', idempotencyKey: null },
    manyItems(items),
    () => 'bench',
  );
  if (reply.outcome !== 'created') throw new Error(`the job was not created: ${reply.outcome}`);
  return reply.jobId;
}

/** Leases and completes `batch` tasks at a time in `loops` workers until none is left. Returns their number. */
export async function drain(store: Store, batch: number, loops: number): Promise<number> {
  const counts = await Promise.all(
    Array.from({ length: loops }, (_, n) => drainAsWorker(store, `bench-${n}`, batch)),
  );
  return counts.reduce((total, count) => total + count, 0);
}

async function drainAsWorker(store: Store, worker: string, limit: number): Promise<number> {
  for (let done = 0; ; ) {
    const call = { worker, boot: 'bench', limit, offers: OFFERS, renews: true };
    const { tasks } = await store.lease(call);
    if (tasks.length === 0) return done;
    const replies = await store.report(
      worker,
      tasks.map((task) => ({
        taskId: task.taskId,
        attempt: task.attempt,
        outcomes: task.items.map(({ itemId }) => ({
          itemId,
          output: OUTPUT,
          error: null,
          model: undefined,
          usage: null,
        })),
        final: true,
        error: null,
      })),
    );
    const refused = replies.find((each) => each.outcome !== 'accepted');
    if (refused !== undefined) throw new Error(`a completion was ${refused.outcome}`);
    done += tasks.length;
  }
}
