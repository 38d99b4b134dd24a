import type { Item } from '@macbatch/core';
import { expect, it } from 'vitest';
import type { Store } from '../store.ts';
import { audit, completion, failure, freshStore, leaseOne, leaseTasks } from '../testing/index.ts';

async function* itemsOf(payloads: Readonly<Record<string, string>>): AsyncGenerator<Item, void, undefined> {
  for (const [id, payload] of Object.entries(payloads)) yield { id, payload };
}

async function submit(
  store: Store,
  payloads: Readonly<Record<string, string>>,
  options: { readonly reuse?: boolean; readonly shardSize?: number } = {},
) {
  const reply = await store.submit(
    {
      jobType: 'noop',
      model: 'noop',
      params: '{}',
      shardSize: options.shardSize ?? 10,
      retryOn: 'attempts',
      idempotencyKey: null,
      reuse: options.reuse ?? true,
    },
    itemsOf(payloads),
    () => '',
  );
  if (reply.outcome !== 'created') throw new Error(reply.outcome);
  return reply.jobId;
}

/** Leases and completes tasks until nothing is pending. Returns the ids of the items that ran. */
async function finishAll(store: Store, worker = 'worker'): Promise<string[]> {
  const ran: string[] = [];
  for (;;) {
    const tasks = await leaseTasks(store, worker, 100);
    if (tasks.length === 0) return ran;
    ran.push(...tasks.flatMap((task) => task.items.map(({ itemId }) => itemId)));
    await store.report(
      worker,
      tasks.map((task) => ({
        ...completion(task),
        outcomes: task.items.map(({ itemId, payload }) => ({
          itemId,
          output: `{"of":${payload}}`,
          error: null,
          model: { name: 'm', digest: null },
          usage: null,
        })),
      })),
    );
  }
}

async function outputs(store: Store, jobId: string) {
  const job = await store.readJob(jobId);
  const found = new Map<string, string | null>();
  for await (const page of store.results(jobId, { itemCount: job?.items.total ?? 0 })) {
    for (const result of page)
      found.set(`${result.itemId}${result.reused ? ' (reused)' : ''}`, result.output ?? result.error);
  }
  return Object.fromEntries(found);
}

it('I2: a job reuses the outcomes of an earlier job and runs only the other items', async () => {
  await using fresh = await freshStore();
  await submit(fresh.store, { a: '"x"', b: '"y"' });
  await finishAll(fresh.store);
  const jobId = await submit(fresh.store, { c: '"z"', d: ' "x" ', e: '"w"' });
  const before = await fresh.store.readJob(jobId);
  expect(before?.items).toEqual({ total: 3, ok: 1, error: 0, failed: 0, open: 2 });
  expect(before?.reused).toBe(1);
  expect(before?.tasks.total).toBe(2); // a task never spans an item that does not run
  expect(await finishAll(fresh.store)).toEqual(['c', 'e']);
  expect(await outputs(fresh.store, jobId)).toEqual({
    c: '{"of":"z"}',
    'd (reused)': '{"of":"x"}',
    e: '{"of":"w"}',
  });
  const after = await fresh.store.readJob(jobId);
  expect(after?.state).toBe('done');
  expect(after?.modelsUsed).toEqual([{ name: 'm', digest: null }]);
});

it('I2: a job ends at its submission when the ledger has every outcome', async () => {
  await using fresh = await freshStore();
  await submit(fresh.store, { a: '1', b: '2' });
  await finishAll(fresh.store);
  const job = await fresh.store.readJob(await submit(fresh.store, { x: '2.0', y: '1e0' }));
  expect(job?.state).toBe('done');
  expect(job?.finishedAt).not.toBeNull();
  expect(job?.items.ok).toBe(2);
});

it('I2: items with equal keys run once, and all of them get the outcome', async () => {
  await using fresh = await freshStore();
  const jobId = await submit(fresh.store, { a: '1', b: '2', c: '1', d: '3', e: '1' });
  expect((await fresh.store.readJob(jobId))?.repeated).toBe(2);
  expect(await finishAll(fresh.store)).toEqual(['a', 'b', 'd']);
  const job = await fresh.store.readJob(jobId);
  expect(job?.items).toEqual({ total: 5, ok: 5, error: 0, failed: 0, open: 0 });
  expect(job?.finishedAt).not.toBeNull();
  expect(await outputs(fresh.store, jobId)).toEqual({
    a: '{"of":1}',
    b: '{"of":2}',
    'c (reused)': '{"of":1}',
    d: '{"of":3}',
    'e (reused)': '{"of":1}',
  });
  expect(await audit(fresh.url)).toEqual([]);
});

it('I2: errors are never reused in another job, and repeated items of the same job get them', async () => {
  await using fresh = await freshStore();
  const jobId = await submit(fresh.store, { a: '1', b: '1' });
  const task = await leaseOne(fresh.store, 'worker');
  const outcome = {
    itemId: 'a',
    output: null,
    error: '{"code":"bad","message":"no"}',
    model: undefined,
    usage: null,
  };
  await fresh.store.report('worker', [{ ...completion(task), outcomes: [outcome] }]);
  expect((await fresh.store.readJob(jobId))?.items).toEqual({
    total: 2,
    ok: 0,
    error: 2,
    failed: 0,
    open: 0,
  });
  // Another job runs the item again.
  await submit(fresh.store, { z: '1' });
  expect(await finishAll(fresh.store)).toEqual(['z']);
  // T13: after a retry both items are open again, and both end ok.
  expect(await fresh.store.retryJob(jobId, { items: true })).toEqual({ tasks: 1, items: 2 });
  expect((await fresh.store.readJob(jobId))?.items).toEqual({
    total: 2,
    ok: 0,
    error: 0,
    failed: 0,
    open: 2,
  });
  expect(await finishAll(fresh.store)).toEqual(['a']);
  expect((await fresh.store.readJob(jobId))?.items).toEqual({
    total: 2,
    ok: 2,
    error: 0,
    failed: 0,
    open: 0,
  });
});

it('I2: repeated items show the error of a failed task, and get a late result', async () => {
  await using fresh = await freshStore();
  const jobId = await submit(fresh.store, { a: '1', b: '2', c: '1' }, { shardSize: 1 });
  const [first, second] = await leaseTasks(fresh.store, 'worker', 2);
  if (first === undefined || second === undefined) throw new Error('There was nothing to lease.');
  await fresh.store.report('worker', [failure(first), completion(second)]);
  for (let n = 0; n < 2; n += 1) {
    const [again] = await leaseTasks(fresh.store, 'worker', 2);
    if (again?.taskId !== first.taskId) throw new Error('The task did not go back to pending.');
    await fresh.store.report('worker', [failure(again)]);
  }
  expect((await fresh.store.readJob(jobId))?.items).toMatchObject({ failed: 2 });
  expect(await outputs(fresh.store, jobId)).toMatchObject({
    a: expect.stringContaining('broke'),
    c: expect.stringContaining('broke'),
  });
  const lastLease = { worker: 'worker', attempt: 3 };
  expect(await fresh.store.resultOf(jobId, 'a')).toMatchObject(lastLease);
  expect(await fresh.store.resultOf(jobId, 'c')).toMatchObject(lastLease);
  await fresh.store.report('worker', [completion(first)]);
  expect((await fresh.store.readJob(jobId))?.items).toMatchObject({ failed: 0, ok: 3 });
});

it('I2: a reused outcome keeps the attempt that computed it when its task fails', async () => {
  await using fresh = await freshStore();
  await submit(fresh.store, { a: '1' });
  await finishAll(fresh.store);
  const jobId = await submit(fresh.store, { b: '2', c: '1', d: '3' });
  for (let attempt = 1; attempt <= 3; attempt += 1)
    await fresh.store.report('worker', [failure(await leaseOne(fresh.store, 'worker'))]);
  expect(await fresh.store.resultOf(jobId, 'b')).toMatchObject({ attempt: 3, output: null });
  expect(await fresh.store.resultOf(jobId, 'c')).toMatchObject({ reused: true, attempt: 1 });
});

it('I2: every item runs when reuse is off', async () => {
  await using fresh = await freshStore();
  await submit(fresh.store, { a: '1' });
  await finishAll(fresh.store);
  await submit(fresh.store, { b: '1', c: '1' }, { reuse: false });
  expect(await finishAll(fresh.store)).toEqual(['b', 'c']);
});

it('I2: every item whose payload canonical JSON cannot represent runs', async () => {
  await using fresh = await freshStore();
  await submit(fresh.store, {
    a: '9007199254740993',
    b: '9007199254740993',
    c: '{"x":1,"x":2}',
    d: '"\\ud800"',
    e: '"\\ud800"',
  });
  expect(await finishAll(fresh.store)).toEqual(['a', 'b', 'c', 'd', 'e']);
});

it('I3: the ledger keeps one row per key when equal items are reported concurrently', async () => {
  await using fresh = await freshStore();
  const payloads = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`i${n}`, String(n % 20)]));
  // Submitted before any item has run, so that no job finds outcomes of another.
  await Promise.all([1, 2, 3].map(() => submit(fresh.store, payloads, { shardSize: 3 })));
  await Promise.all(['w1', 'w2', 'w3', 'w4'].map((worker) => finishAll(fresh.store, worker)));
  const again = await fresh.store.readJob(await submit(fresh.store, payloads));
  expect(again?.reused).toBe(60);
  expect(await audit(fresh.url)).toEqual([]);
});
