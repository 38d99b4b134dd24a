import { ITEM_STATES, type Item } from '@macbatch/core';
import { expect, it } from 'vitest';
import type { Entry } from '../reporting/report-entry.ts';
import type { Store } from '../store.ts';
import type { LeasedTask } from '../tasks/leased-tasks.ts';
import { completion, failure, itemError, leaseTasks } from '../testing/index.ts';
import { explainedStore } from '../testing/statement-work.ts';

/** Items of a large job. A statement that repeats a scan for each item touches the square of this many rows. */
const ITEMS = 600;

function numbered(name: string, count: number, payloadOf: (n: number) => number): readonly Item[] {
  return Array.from({ length: count }, (_, n) => ({ id: `${name}-${n}`, payload: `${payloadOf(n)}` }));
}

async function* batchOf(items: readonly Item[]) {
  yield items;
}

async function submit(store: Store, items: readonly Item[], shardSize = 1) {
  const draft = {
    jobType: 'noop',
    model: 'noop',
    params: '{}',
    shardSize,
    retryOn: 'attempts',
    idempotencyKey: null,
    reuse: true,
  } as const;
  const reply = await store.submit(draft, batchOf(items), () => '');
  return reply.outcome === 'created' ? reply.jobId : reply.outcome;
}

/** Leases and reports tasks until none is pending, as a new worker each time: failures make workers suspect. */
async function runAll(store: Store, entryOf: (task: LeasedTask) => Entry) {
  for (let n = 0; ; n += 1) {
    const worker = `worker-${n}`;
    const tasks = await leaseTasks(store, worker, 1000);
    if (tasks.length === 0) return;
    await store.report(
      worker,
      tasks.map((task) => entryOf(task)),
    );
  }
}

/** Fails every second task, and reports an error of each item of the others. */
function misfortune(task: LeasedTask): Entry {
  if (Number(task.taskId) % 2 === 0) return failure(task);
  return { ...completion(task), outcomes: task.items.map(({ itemId }) => itemError(itemId)) };
}

async function runWholeLife(store: Store): Promise<void> {
  const third = ITEMS / 3;
  await submit(
    store,
    numbered('source', third, (n) => n),
    100,
  );
  await runAll(store, completion);
  // One third takes outcomes from the ledger, one third runs, and one third repeats that one.
  const job = await submit(
    store,
    numbered('large', ITEMS, (n) => (n < 2 * third ? n : n - third)),
  );
  await runAll(store, misfortune);
  const failed = await store.readJob(job);
  const { groups } = failed === null ? { groups: [] } : await store.groupFailures(failed);
  expect(groups.length).toBeGreaterThan(0);
  expect(await store.retryJob(job, { items: true, failure: '00000000' })).toMatchObject({ tasks: 0 });
  const list = { owner: '', states: ['failed'], text: 'no job has this text', openFirst: true } as const;
  const { jobs: listed } = await store.listJobs({ ...list, text: undefined, limit: 100 });
  await store.jobProgress(listed);
  expect(await store.listJobs({ ...list, limit: 100 })).toEqual({ jobs: [], next: null });
  if (failed === null) throw new Error('The job does not exist.');
  for (const state of ITEM_STATES) await store.listItems(failed, { state, after: -1, limit: 100 });
  await store.listItems(failed, { prefix: 'large-1', after: -1, limit: 100 });
  await store.listItems(failed, { failure: groups[0]?.id, after: -1, limit: 100 });
  expect(await store.readItem(job, { itemId: 'large-1' })).toMatchObject({ seq: 1 });
  const changes = store.changeReader();
  await changes.read([job]);
  expect((await changes.read([job])).jobs).toEqual([]);
  const series = { owner: '', job: null, worker: null, model: null, by: 'job', stepSeconds: 60 } as const;
  const hour = { from: new Date(Date.now() - 3_600_000), to: new Date(Date.now() + 60_000) };
  expect(await store.throughput({ ...series, ...hour })).not.toEqual([]);
  await store.listEvents({ owner: '', job, worker: null, kind: null, before: null, limit: 100 });
  expect(await store.retryJob(job, { items: true })).toMatchObject({ tasks: third });
  await runAll(store, completion);
  expect((await store.readJob(job))?.items).toMatchObject({ total: ITEMS, ok: ITEMS });
  const repeating = numbered('repeating', ITEMS, (n) => n).map((item, n) => ({
    ...item,
    id: n === ITEMS - 1 ? 'repeating-0' : item.id,
  }));
  expect(await submit(store, repeating)).toBe('duplicate_item_id');
  const cancelled = await submit(
    store,
    numbered('cancelled', ITEMS, (n) => -n),
  );
  await store.cancelJob(cancelled);
  expect(await store.prune({ olderThanSeconds: 0, rowLimit: 1e9 })).toMatchObject({ left: { jobs: 0 } });
}

it('no statement repeats a scan for each item of a job that the statistics do not know', async () => {
  await using db = await explainedStore();
  const { store, sql } = db;
  await sql.unsafe('analyze'); // of empty tables
  await runWholeLife(store);
  await submit(
    store,
    numbered('known', 300, (n) => 1_000_000 + n),
  );
  await runAll(store, completion);
  await sql.unsafe('analyze'); // with one small job
  await runWholeLife(store);
  const work = await db.takeWork();
  expect(work.length).toBeGreaterThan(100);
  expect(work.filter(({ rows }) => rows > 20 * ITEMS)).toEqual([]);
});
