import { ITEM_STATES, type Item } from '@macbatch/core';
import { expect, it } from 'vitest';
import {
  completion,
  failure,
  itemError,
  leaseTasks,
  sharedStore,
  submitJob,
  success,
} from '../testing/index.ts';
import type { ItemQuery } from './list-items.ts';

const db = sharedStore();

async function readJob(id: string) {
  const job = await db.store.readJob(id);
  if (job === null) throw new Error(`There is no job ${id}.`);
  return job;
}

async function leaseAs(worker: string, limit = 1) {
  const tasks = await leaseTasks(db.store, worker, limit);
  if (tasks.length === 0) throw new Error(`There was nothing to lease for ${worker}.`);
  return tasks;
}

/**
 * A job of tasks with two items: ok and too long, refused and ok, a failed task with one ok item, a leased one, and two
 * that are pending.
 */
async function mixedJob(): Promise<string> {
  const jobId = await submitJob(db.store, { items: 12, shardSize: 2, retryOn: 'errors' });
  const [first, second, third] = await leaseAs('ann', 3);
  if (first === undefined || second === undefined || third === undefined) throw new Error('Too few tasks.');
  const refused = { ...itemError('item-2'), error: '{"code":"model_refused","message":"no"}' };
  await db.store.report('ann', [
    { ...completion(first), outcomes: [success('item-0', '1'), itemError('item-1', 'it has 9 tokens')] },
    { ...completion(second), outcomes: [refused, success('item-3')] },
    { ...completion(third), outcomes: [success('item-4')], final: false },
  ]);
  for (const worker of ['ann', 'bob', 'cem']) {
    const task =
      worker === 'ann'
        ? third
        : (await leaseTasks(db.store, worker, 10)).find(({ taskId }) => taskId === third.taskId);
    if (task === undefined) throw new Error('The failed task was not leased again.');
    await db.store.report(worker, [failure(task)]);
    const held = await db.sql<{ id: string; attempts: number }[]>`
      select id::text, attempts from tasks where status = 'leased'`;
    await db.store.release(
      worker,
      held.map(({ id, attempts }) => ({ taskId: id, attempt: attempts })),
    );
  }
  await leaseAs('dan');
  return jobId;
}

async function pageOf(jobId: string, query: Partial<ItemQuery> = {}) {
  return db.store.listItems(await readJob(jobId), { after: -1, limit: 100, ...query });
}
const seqsOf = async (jobId: string, query: Partial<ItemQuery> = {}) =>
  (await pageOf(jobId, query)).items.map(({ seq }) => seq);

/** Reads all pages of a list. */
async function seqsInPages(jobId: string, query: Partial<ItemQuery>): Promise<number[]> {
  const seqs: number[] = [];
  for (let after: number | null = -1; after !== null; ) {
    const page = await pageOf(jobId, { ...query, after });
    seqs.push(...page.items.map(({ seq }) => seq));
    after = page.next;
  }
  return seqs;
}

const STATES = { ok: [0, 3, 4], error: [1, 2], failed: [5], open: [6, 7, 8, 9, 10, 11] };

it('lists all items with their states, errors, workers and sizes', async () => {
  const jobId = await mixedJob();
  const { items, next } = await pageOf(jobId);
  expect(next).toBeNull();
  for (const state of ITEM_STATES)
    expect(items.filter((item) => item.state === state).map(({ seq }) => seq)).toEqual(STATES[state]);
  expect(items[0]).toMatchObject({
    itemId: 'item-0',
    worker: 'ann',
    attempt: 1,
    inputBytes: 7,
    outputBytes: 1,
  });
  expect(items[1]).toMatchObject({
    failure: { code: 'too_long', message: 'it has 9 tokens' },
    outputBytes: null,
  });
  expect(items[5]).toMatchObject({ failure: { code: 'broken' }, worker: 'cem', recordedAt: null });
  expect(items[6]).toMatchObject({ failure: null, worker: null, recordedAt: null });
});

it('lists the items of each state, in pages of any size', async () => {
  const jobId = await mixedJob();
  for (const state of ITEM_STATES)
    for (const limit of [1, 2, 3, 7])
      expect(await seqsInPages(jobId, { state, limit }), `${state} by ${limit}`).toEqual(STATES[state]);
  expect(await seqsInPages(jobId, { limit: 5 })).toEqual(Array.from({ length: 12 }, (_, n) => n));
});

it('skips a task whose items behind the page all have an outcome', async () => {
  const jobId = await submitJob(db.store, { items: 6, shardSize: 3 });
  const [task] = await leaseAs('ann');
  if (task === undefined) throw new Error('There was nothing to lease.');
  const outcomes = [success('item-1'), success('item-2')];
  await db.store.report('ann', [{ ...completion(task), outcomes, final: false }]);
  expect(await seqsInPages(jobId, { state: 'open', limit: 1 })).toEqual([0, 3, 4, 5]);
});

it('lists the items of each state of a cancelled job', async () => {
  const jobId = await mixedJob();
  await db.store.cancelJob(jobId);
  for (const state of ITEM_STATES)
    expect(await seqsInPages(jobId, { state, limit: 2 })).toEqual(STATES[state]);
});

it('lists items whose ids begin with a text, of a state and of a group of failures', async () => {
  const jobId = await mixedJob();
  expect(await seqsOf(jobId, { prefix: 'item-1' })).toEqual([1, 10, 11]);
  expect(await seqsInPages(jobId, { prefix: 'item-1', limit: 2 })).toEqual([1, 10, 11]);
  expect(await seqsOf(jobId, { prefix: 'item-1', state: 'open' })).toEqual([10, 11]);
  expect(await seqsOf(jobId, { prefix: '%' })).toEqual([]);
  const { groups } = await db.store.groupFailures(await readJob(jobId));
  expect(groups).toHaveLength(3);
  for (const { id, code } of groups) {
    const expected = { too_long: [1], model_refused: [2], broken: [5] }[code];
    expect(await seqsInPages(jobId, { failure: id, limit: 1 })).toEqual(expected);
    expect(await seqsOf(jobId, { failure: id, prefix: 'item-1' })).toEqual(code === 'too_long' ? [1] : []);
  }
  expect(await seqsOf(jobId, { failure: '00000000' })).toEqual([]);
});

it('finds items by a text with which more than a thousand ids begin', async () => {
  const jobId = await submitJob(db.store, { items: 2500, shardSize: 1000 });
  const [task] = await leaseAs('ann');
  if (task !== undefined)
    await db.store.report('ann', [{ ...completion(task), outcomes: [itemError('item-7')], final: false }]);
  expect(await seqsOf(jobId, { prefix: 'item-', after: 2497 })).toEqual([2498, 2499]);
  expect(await seqsOf(jobId, { prefix: 'item-', state: 'error' })).toEqual([7]);
  const [group] = (await db.store.groupFailures(await readJob(jobId))).groups;
  expect(await seqsOf(jobId, { prefix: 'item-', failure: group?.id })).toEqual([7]);
});

/** A job whose first two items are the same, and whose third runs alone. */
async function repeatingJob(): Promise<string> {
  async function* items(): AsyncGenerator<Item, void, undefined> {
    for (const [id, payload] of [
      ['a', '1'],
      ['b', '1'],
      ['c', '2'],
    ] as const)
      yield { id, payload };
  }
  const draft = { jobType: 'noop', model: 'noop', params: '{"x":1}', shardSize: 1 } as const;
  const reply = await db.store.submit(
    { ...draft, retryOn: 'errors', idempotencyKey: null, reuse: true },
    items(),
    () => '',
  );
  if (reply.outcome !== 'created') throw new Error('The job was not created.');
  return reply.jobId;
}

it('gives an item that repeats another one the state of that one', async () => {
  const jobId = await repeatingJob();
  expect(await seqsOf(jobId, { state: 'open' })).toEqual([0, 1, 2]);
  for (const worker of ['ann', 'bob', 'cem']) {
    const [task] = await leaseAs(worker);
    if (task !== undefined) await db.store.report(worker, [failure(task)]);
  }
  expect(await seqsOf(jobId, { state: 'failed' })).toEqual([0, 1]);
  expect(await seqsOf(jobId, { state: 'open' })).toEqual([2]);
});

it('reads one item by its id or its position, with its exact texts and its attempts', async () => {
  const jobId = await mixedJob();
  const ok = await db.store.readItem(jobId, { itemId: 'item-0' });
  expect(ok).toMatchObject({ seq: 0, state: 'ok', input: '{"n":0}', params: '{}' });
  expect(ok?.result).toMatchObject({ output: '1', model: 'noop', worker: 'ann' });
  expect(ok?.leases).toMatchObject([{ attempt: 1, worker: 'ann', current: false }]);
  const failed = await db.store.readItem(jobId, { seq: 5 });
  expect(failed).toMatchObject({ itemId: 'item-5', state: 'failed', result: { output: null } });
  expect(failed?.leases.map(({ worker }) => worker)).toEqual(['cem', 'bob', 'ann']);
  const held = await db.store.readItem(jobId, { seq: 6 });
  expect(held).toMatchObject({ state: 'open', result: null });
  expect(held?.leases[0]).toMatchObject({ worker: 'dan', current: true });
  expect(await db.store.readItem(jobId, { seq: 12 })).toBeNull();
  expect(await db.store.readItem(jobId, { itemId: 'item' })).toBeNull();
});
