import { expect, it } from 'vitest';
import type { Store } from '../store.ts';
import { moveEndBack, PRUNE_ALL, rowsOf } from '../testing/ended-jobs.ts';
import { audit, completion, numberedItems, sharedStore } from '../testing/index.ts';

const db = sharedStore();

async function submitKeyed(store: Store, idempotencyKey: string, reuse = true, items = numberedItems(6)) {
  return store.submit(
    {
      jobType: 'chat',
      model: 'm',
      params: '{}',
      shardSize: 2,
      retryOn: 'attempts',
      idempotencyKey,
      reuse,
    },
    items,
    () => 'digest',
  );
}

async function runChat(): Promise<void> {
  const offers = [{ jobType: 'chat', model: 'm' }] as const;
  const { tasks } = await db.store.lease({ worker: 'ann', boot: 'b', limit: 100, offers, renews: false });
  await db.store.report(
    'ann',
    tasks.map((task) => completion(task)),
  );
}

it('I6: a prune frees the idempotency key when the job is marked', async () => {
  const first = await submitKeyed(db.store, 'key');
  await runChat();
  expect(await submitKeyed(db.store, 'key')).toEqual({ ...first, outcome: 'existing' });
  if (!('jobId' in first)) throw new Error('The job was not created.');
  await moveEndBack(db.sql, first.jobId, 40);
  await db.store.prune({ ...PRUNE_ALL, rowLimit: 1 });
  const second = await submitKeyed(db.store, 'key', false);
  expect(second).toMatchObject({ outcome: 'created' });
  await db.store.prune(PRUNE_ALL);
  expect(await rowsOf(db.sql, first.jobId)).toBe(0);
  expect(second).not.toMatchObject({ jobId: first.jobId });
});

it('I6: a prune leaves a job that a submission with its key has locked for the next prune', async () => {
  const first = await submitKeyed(db.store, 'key');
  await runChat();
  if (!('jobId' in first)) throw new Error('The job was not created.');
  await moveEndBack(db.sql, first.jobId, 40);
  const prunes: unknown[] = [];
  const again = await submitKeyed(
    db.store,
    'key',
    true,
    (async function* () {
      prunes.push(await db.store.prune(PRUNE_ALL));
      yield { id: 'item-0', payload: '1' };
    })(),
  );
  expect(again).toEqual({ outcome: 'existing', jobId: first.jobId });
  expect(prunes).toMatchObject([{ jobs: 0, left: { jobs: 1 } }]);
  expect(await db.store.prune(PRUNE_ALL)).toMatchObject({ jobs: 1 });
});

it('I3: a prune keeps outcomes that a newer job reused, and later equal items run again', async () => {
  const first = await submitKeyed(db.store, 'one');
  await runChat();
  const second = await submitKeyed(db.store, 'two');
  if (!('jobId' in first && 'jobId' in second)) throw new Error('The job was not created.');
  expect(await db.store.readJob(second.jobId)).toMatchObject({ reused: 6, state: 'done' });
  await moveEndBack(db.sql, first.jobId, 40);
  await db.store.prune(PRUNE_ALL);
  expect(await rowsOf(db.sql, first.jobId)).toBe(0);
  const pages: unknown[] = [];
  for await (const page of db.store.results(second.jobId, { itemCount: 6 })) pages.push(...page);
  expect(pages).toHaveLength(6);
  expect(pages[0]).toMatchObject({ output: '{"ok":true}', reused: true, model: 'noop' });
  expect(await audit(db.url)).toEqual([]);
  const third = await submitKeyed(db.store, 'three');
  if (!('jobId' in third)) throw new Error('The job was not created.');
  expect(await db.store.readJob(third.jobId)).toMatchObject({ reused: 0, tasks: { pending: 3 } });
});
